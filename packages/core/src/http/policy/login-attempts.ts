import { fixedWindow } from "../../limit/fixed-window";
import type { DescriptorLimit } from "../../limit/limit";
import type { Policy } from "../../limiter/question";
import { Problems } from "../../options/problems";
import { OptionsReader } from "../../options/read";
import type { HttpRequest } from "../client/http-request";
import { isMissing, throwMissing } from "./missing-id";
import { type Soon, whenAllKnown } from "./when-known";

/** What {@link loginAttempts} takes. */
export interface LoginAttemptsOptions<Request> {
  /** Who asks: the function of `clientAddress`, or one like it. */
  readonly client: (request: NoInfer<Request>) => Soon<string | undefined>;
  /**
   * Whose account is tried, in the one spelling that the account has. `undefined` if the request
   * names none; then only the limits of the client apply. Anything else that is no text is an error
   * of the request: a list or an object, which a body can hold, may be an account to what looks it
   * up.
   */
  readonly account: (request: Request) => Soon<string | undefined>;
  /**
   * The limits of one client on one account. In a day they are to be far fewer than `perAccount`:
   * one client could otherwise use those up, and lock out the owner.
   *
   * @defaultValue 5 in 15 minutes and 20 in a day
   */
  readonly perPair?: readonly DescriptorLimit[];
  /**
   * The limits of one account, from wherever. They bound guessing from many addresses, and let
   * strangers lock the owner out: keep them much wider than `perPair`.
   *
   * @defaultValue 100 in a day
   */
  readonly perAccount?: readonly DescriptorLimit[];
  /**
   * The limits of one client, on whatever accounts.
   *
   * @defaultValue 100 in a day
   */
  readonly perClient?: readonly DescriptorLimit[];
}

const known = ["client", "account", "perPair", "perAccount", "perClient"];
const quarterHourMs = 900_000;
const dayMs = 86_400_000;

/**
 * Makes the policy of a login: so many attempts of a client on an account, on an account from
 * anywhere, and of a client in all; each question is judged and charged in one step, so that
 * attempts sent at once cannot pass together. Use it with `refundWhen: succeeded`, so that only
 * failures count. That goes by the status: where a login that failed is answered by 200 or by a
 * redirect, `refundWhen` has to tell in another way, or nothing counts.
 *
 * The kinds are `login_pair` (its id: client, account), `login_account` and `login_client`.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function loginAttempts<Request = HttpRequest>(
  options: LoginAttemptsOptions<Request>,
): Policy<Request> {
  const problems = new Problems("loginAttempts options");
  const reader = new OptionsReader(options, known, problems);
  for (const name of ["client", "account"]) {
    if (typeof reader.raw(name) !== "function") reader.problem(name, "a function");
  }
  for (const name of ["perPair", "perAccount", "perClient"]) {
    const value = reader.raw(name);
    const isSound = value === undefined || (Array.isArray(value) && value.length > 0);
    if (!isSound) reader.problem(name, "a list of limits");
  }
  problems.throwIfAny();
  const daily = [fixedWindow({ max: 100, windowMs: dayMs })];
  const {
    client,
    account,
    perPair = [
      fixedWindow({ max: 5, windowMs: quarterHourMs }),
      fixedWindow({ max: 20, windowMs: dayMs }),
    ],
    perAccount = daily,
    perClient = daily,
  } = options;
  return (request) =>
    whenAllKnown([() => client(request), () => account(request)], ([clientKey, accountId]) => {
      if (isMissing(clientKey)) throwMissing(clientKey, "login_client");
      const ofClient = { kind: "login_client", id: clientKey as string, limits: perClient };
      const id = accountOf(accountId);
      if (id === undefined) return { descriptors: [ofClient] };
      return {
        descriptors: [
          { kind: "login_pair", id: [clientKey as string, id], limits: perPair },
          { kind: "login_account", id, limits: perAccount },
          ofClient,
        ],
      };
    });
}

/** @throws InvalidOptionsError if it is neither a text nor missing. */
function accountOf(account: unknown): string | undefined {
  if (account === undefined || account === null || account === "") return undefined;
  if (typeof account === "string") return account;
  const problems = new Problems("question of loginAttempts");
  problems.add("account", "a text, or undefined", account);
  problems.throwIfAny();
  return undefined;
}

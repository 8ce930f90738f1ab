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
  readonly client: (request: Request) => Soon<string | undefined>;
  /**
   * Whose account is tried, in the one spelling that the account has. `undefined` if the request
   * names none; then only the limits of the client apply.
   */
  readonly account: (request: Request) => Soon<string | undefined>;
  /**
   * The limits of one client on one account.
   *
   * @defaultValue 5 in 15 minutes
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
 * failures count.
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
    perPair = [fixedWindow({ max: 5, windowMs: quarterHourMs })],
    perAccount = daily,
    perClient = daily,
  } = options;
  return (request) =>
    whenAllKnown([() => client(request), () => account(request)], ([clientKey, accountId]) => {
      if (isMissing(clientKey)) throwMissing(clientKey, "login_client");
      const ofClient = { kind: "login_client", id: clientKey as string, limits: perClient };
      if (isMissing(accountId)) return { descriptors: [ofClient] };
      const id = accountId as string;
      return {
        descriptors: [
          { kind: "login_pair", id: [clientKey as string, id], limits: perPair },
          { kind: "login_account", id, limits: perAccount },
          ofClient,
        ],
      };
    });
}

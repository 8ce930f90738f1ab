/** What an account has bought. */
export type Plan = "free" | "team";

/** Somebody who may call. */
export interface Account {
  readonly id: string;
  readonly plan: Plan;
}

const accounts: ReadonlyMap<string, Account> = new Map([
  ["key-ada", { id: "ada", plan: "free" }],
  ["key-bob", { id: "bob", plan: "team" }],
]);

/** The account of an API key. Its id, not the key, is what is counted and logged. */
export function accountOfKey(key: string | undefined): Account | undefined {
  return accounts.get(key ?? "");
}

/** The one spelling of an account's name, however it was typed; undefined if it is no text. */
export function accountName(typed: unknown): string | undefined {
  return typeof typed === "string" ? typed.trim().toLowerCase() : undefined;
}

/** Whether an account, by its one spelling, has this password. */
export function isPasswordRight(name: string | undefined, password: unknown): boolean {
  return name === "ada" && password === "correct horse";
}

/** Names of throttles, budgets and upstreams in events; gates are named by the same rule. */
export const OUTBOUND_NAME = /^[A-Za-z0-9_-]{1,64}$/;
export const OUTBOUND_NAME_EXPECTED = "1 to 64 characters of [A-Za-z0-9_-]";

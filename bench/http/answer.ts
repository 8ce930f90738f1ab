/** The request header that names the caller. */
export const KEY_HEADER = "x-api-key";

/** The path of every request. */
export const PATH = "/v1/models";

/** What handlers answer. */
export const LIST = { object: "list", data: [] };

/** The same as text. */
export const BODY = JSON.stringify(LIST);

/** The request header that names the caller. */
export const KEY_HEADER = "x-api-key";

/** The body of every answer; no other part of an answer ends like it. */
export const BODY = '{"object":"list","data":[]}';

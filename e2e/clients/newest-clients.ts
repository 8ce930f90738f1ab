import got from "got";
import ky from "ky";
import OpenAI from "openai";
import { Agent, RetryAgent, request } from "undici";
import type { Clients } from "./call";
import { clientsOfBothLines, messages } from "./clients-of-both-lines";

const retryAgent = new RetryAgent(new Agent());

/** The newest lines, each as it comes. */
export const clients: Clients = {
  ...clientsOfBothLines,
  openai: ({ url }, signal) =>
    new OpenAI({ apiKey: "k", baseURL: url }).chat.completions.create(
      { model: "m", messages },
      { signal },
    ),
  undici: async ({ url, method }, signal) => {
    const { body } = await request(url, { method, signal, dispatcher: retryAgent });
    return body.text();
  },
  got: ({ url, method }, signal) => got(url, { method, signal }).text(),
  ky: ({ url, method }, signal) => ky(url, { method, signal }).text(),
};

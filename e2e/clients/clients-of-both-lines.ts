import Anthropic from "@anthropic-ai/sdk";
import axios from "axios";
import axiosRetry from "axios-retry";
import type { Clients } from "./call";

export const messages = [{ role: "user" as const, content: "hello" }];

const retryingAxios = axios.create();
axiosRetry(retryingAxios);

/** Those whose newest line runs on Node.js 20 too. */
export const clientsOfBothLines: Pick<Clients, "anthropic" | "axios"> = {
  anthropic: ({ url }, signal) =>
    new Anthropic({ apiKey: "k", baseURL: url }).messages.create(
      { model: "m", max_tokens: 1, messages },
      { signal },
    ),
  axios: ({ url, method }, signal) => retryingAxios.request({ url, method, signal }),
};

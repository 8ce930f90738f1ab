import Anthropic from "@anthropic-ai/sdk";
import axios from "axios";
import axiosRetry from "axios-retry";
import got from "got";
import ky from "ky";
import OpenAI from "openai";
import { Agent, RetryAgent, request } from "undici";
import type { Clients } from "./call";

const messages = [{ role: "user" as const, content: "hello" }];

const retryAgent = new RetryAgent(new Agent());
const retryingAxios = axios.create();
axiosRetry(retryingAxios);

/** The newest lines, each as it comes. */
export const clients: Clients = {
  openai: ({ url }, signal) =>
    new OpenAI({ apiKey: "k", baseURL: url }).chat.completions.create(
      { model: "m", messages },
      { signal },
    ),
  anthropic: ({ url }, signal) =>
    new Anthropic({ apiKey: "k", baseURL: url }).messages.create(
      { model: "m", max_tokens: 1, messages },
      { signal },
    ),
  undici: async ({ url, method }, signal) => {
    const { body } = await request(url, { method, signal, dispatcher: retryAgent });
    return body.text();
  },
  got: ({ url, method }, signal) => got(url, { method, signal }).text(),
  ky: ({ url, method }, signal) => ky(url, { method, signal }).text(),
  axios: ({ url, method }, signal) => retryingAxios.request({ url, method, signal }),
};

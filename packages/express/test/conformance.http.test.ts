import { describeAdapterConformance } from "@sluice/testing";
import express5 from "express";
import express4 from "express-4";
import { describe, it } from "vitest";
import { startExpress } from "./conformance/start-express";

for (const [name, express] of [
  ["Express 4", express4],
  ["Express 5", express5],
] as const) {
  describeAdapterConformance(
    {
      name,
      lacks: { http2: "its response is made from that of node:http" },
      start: (scenario) => startExpress(express, scenario),
    },
    { describe, it },
  );
}

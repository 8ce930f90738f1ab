import {
  createGate,
  createLimiter,
  expressGate,
  expressLimits,
  serverFailed,
  succeeded,
} from "@sluice/express";
import express, { type Express } from "express";
import { accountName, isPasswordRight } from "./accounts";
import { byPlan, logins } from "./policies";

/** An Express app: the gate before everything, limits where they can know what they need. */
export function createApp(): Express {
  const limiter = createLimiter();
  const app = express();
  app.use(expressGate({ gate: createGate({ maxInFlight: 100 }) }));

  // The name that is tried is in the body, so the body is read first: it is small.
  const forLogins = expressLimits({ limiter, policy: logins, refundWhen: succeeded });
  app.post("/login", express.json({ limit: "1kb" }), forLogins, (req, res) => {
    const { name, password } = req.body ?? {};
    const isRight = isPasswordRight(accountName(name), password);
    res.status(isRight ? 200 : 401).json({ isRight });
  });

  // What this server could not answer is not counted.
  app.use("/api", expressLimits({ limiter, policy: byPlan, refundWhen: serverFailed }));
  app.get("/api/report", (req, res) => {
    const { verdict } = req;
    res.json({ remaining: verdict?.statuses[0]?.remaining });
  });
  app.get("/api/broken", () => {
    throw new Error("the report could not be made");
  });
  return app;
}

import type { LoadReport } from "../upstream/load-record";

/** The upstream process as its runner sees it. */
export class Upstream {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** What it saw since the last reset. */
  async report(): Promise<LoadReport> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/control/load`);
    return (await answer.json()) as LoadReport;
  }

  async reset(): Promise<void> {
    await fetch(`http://127.0.0.1:${this.port}/control/reset`, { method: "POST" });
  }

  /** From now on it works on so many requests of a model at once. */
  async giveSlots(model: string, slots: number): Promise<void> {
    const body = JSON.stringify({ model, slots });
    await fetch(`http://127.0.0.1:${this.port}/control/slots`, { method: "POST", body });
  }
}

import type { Subject } from "./subject";

/** What no gate can do without: a comparison, a counter up and down, a clock read, a promise. */
export class Floor implements Subject {
  #inFlight = 0;
  #lastMs = 0;

  async pass(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const permit = await this.#enter();
      permit.end();
    }
    if (this.#lastMs === 0) throw new Error("The clock was not read.");
  }

  #enter(): Promise<{ end(): void }> {
    if (this.#inFlight >= 100) throw new Error("No slot came back.");
    this.#inFlight += 1;
    this.#lastMs = Date.now();
    return Promise.resolve({
      end: () => {
        this.#inFlight -= 1;
      },
    });
  }
}

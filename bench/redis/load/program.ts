import { keyTexts } from "../../key/key-text";
import { KeyWalk } from "../../key/key-walk";
import { answerParent, readArgument, tellParent } from "../../process/answer-parent";
import { openClient } from "../client/open-client";
import { prepare } from "../contender/contenders";
import type { RedisSubject } from "../contender/subject";
import { closedLoop } from "./closed-loop";
import type { LoadOrder, LoadQuestion } from "./load";

/** How many keys are filled at once. */
const FILL_AT_ONCE = 50;

async function fill(subject: RedisSubject, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += FILL_AT_ONCE) {
    await Promise.all(keys.slice(from, from + FILL_AT_ONCE).map((key) => subject.ask(key)));
  }
}

async function main(): Promise<void> {
  const { subject: name, library, port } = readArgument<LoadOrder>();
  const client = await openClient(library, port);
  let subject: RedisSubject | undefined;
  let walk: KeyWalk;
  answerParent(async (question: LoadQuestion) => {
    if (question.type === "load") return closedLoop(subject as RedisSubject, walk, question);
    const keys = keyTexts(0, question.keys);
    subject = await prepare(name, client, question.limits);
    await fill(subject, keys);
    walk = new KeyWalk(keys);
    return "prepared";
  });
  tellParent("connected");
}

await main();

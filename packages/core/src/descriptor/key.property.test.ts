import { anyId, anyKind, anyTwoIds } from "@sluice/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../test/runs";
import { idText } from "./key";

/** Kind and id as one text, as events and shared stores write them. */
const descriptorKey = (kind: string, id: string | readonly string[]) => `${kind}:${idText(id)}`;

describe("Keys", () => {
  it("of two different subjects are different", () => {
    fc.assert(
      fc.property(anyKind(), anyTwoIds(), (kind, [one, other]) => {
        expect(descriptorKey(kind, one)).not.toBe(descriptorKey(kind, other));
        expect(idText(one)).not.toBe(idText(other));
      }),
      runs(2_000),
    );
  });

  it("of two different kinds are different, whatever the ids are", () => {
    fc.assert(
      fc.property(anyKind(), anyKind(), anyId(), anyId(), (kind, otherKind, id, otherId) => {
        fc.pre(kind !== otherKind);
        expect(descriptorKey(kind, id)).not.toBe(descriptorKey(otherKind, otherId));
      }),
      runs(500),
    );
  });

  it("are the same each time, and the same for a text as for the list of it", () => {
    fc.assert(
      fc.property(anyKind(), anyId(), (kind, id) => {
        const key = descriptorKey(kind, id);
        expect(descriptorKey(kind, structuredClone(id) as string)).toBe(key);
        if (typeof id === "string") expect(descriptorKey(kind, [id])).toBe(key);
      }),
      runs(500),
    );
  });

  it("are short and hold only characters that no store or log mistakes for its own", () => {
    fc.assert(
      fc.property(anyKind(), anyId(), (kind, id) => {
        const key = descriptorKey(kind, id);
        expect(key.length).toBeLessThanOrEqual(193);
        expect(key).toMatch(/^[A-Za-z0-9_.@%:#-]+$/);
        expect(key.startsWith(`${kind}:`)).toBe(true);
      }),
      runs(1_000),
    );
  });
});

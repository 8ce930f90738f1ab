import { describe, expect, it } from "vitest";
import { ReplyError, ReplyReader } from "./reply-reader";

const valuesOf = (text: string) =>
  new ReplyReader().push(Buffer.from(text)).map(({ value }) => value);

describe("what a server sends", () => {
  it("is read by version 2 of the protocol", () => {
    expect(valuesOf("+OK\r\n:-7\r\n$4\r\né\r\n\r\n$-1\r\n*-1\r\n*0\r\n")).toEqual([
      "OK",
      -7,
      "é\r\n",
      null,
      null,
      [],
    ]);
  });

  it("is read by version 3 of the protocol", () => {
    expect(valuesOf("_\r\n#t\r\n,1.5\r\n%1\r\n+a\r\n~1\r\n:1\r\n=5\r\ntxt:a\r\n(12\r\n")).toEqual([
      null,
      true,
      1.5,
      ["a", [1]],
      "txt:a",
      "12",
    ]);
  });

  it("is an error as a value, also inside a list", () => {
    const [plain, list, bulk] = valuesOf("-ERR no\r\n*2\r\n+a\r\n-ERR inner\r\n!5\r\nERR b\r\n");
    expect(plain).toEqual(new ReplyError("ERR no"));
    expect(list).toEqual(["a", new ReplyError("ERR inner")]);
    expect(bulk).toEqual(new ReplyError("ERR b"));
  });

  it("is cut into the same messages wherever the stream is cut", () => {
    const text = "*2\r\n$5\r\nhello\r\n:12\r\n>1\r\n+push\r\n|1\r\n+a\r\n+b\r\n+after\r\n";
    for (let cut = 0; cut <= text.length; cut += 1) {
      const reader = new ReplyReader();
      const frames = [text.slice(0, cut), text.slice(cut)].flatMap((part) =>
        reader.push(Buffer.from(part)),
      );
      expect(frames.map(({ value }) => value)).toEqual([["hello", 12], ["push"], "after"]);
      expect(frames.map(({ isPush }) => isPush)).toEqual([false, true, false]);
      expect(frames.map(({ bytes }) => bytes.toString()).join("")).toBe(text);
    }
  });

  it("is an error of the program if it is another protocol", () => {
    expect(() => valuesOf("HTTP/1.1 400 Bad Request\r\n")).toThrow('received "H"');
  });
});

import { describe, expect, it } from "vitest";
import { CallFailure } from "./call-failure";
import { classify, isCompileError, isNoScript } from "./classify";

const kindOf = (error: unknown) => {
  const { code, isRetryable, isTransient } = classify(error);
  const known = isTransient ? "again soon" : "did not run";
  const fate = isRetryable ? known : "unknown";
  return `${code.replace("SLUICE_STORE_", "")}, ${fate}`;
};

// Texts of Redis 7.0 and of the libraries, where they can be told.
describe("What an error says about a call:", () => {
  it.each([
    ["NOSCRIPT No matching script. Please use EVAL.", "PROTOCOL, did not run"],
    ["NOSCRIPT No matching script.", "PROTOCOL, did not run"],
    ["CROSSSLOT Keys in request don't hash to the same slot", "PROTOCOL, did not run"],
    ["ERR Error compiling script (new function): user_script:1: x", "PROTOCOL, did not run"],
    ["MOVED 1234 127.0.0.1:7000", "REFUSED, did not run"],
    ["ASK 1234 127.0.0.1:7000", "REFUSED, did not run"],
    ["TRYAGAIN Multiple keys request during rehashing of slot", "REFUSED, again soon"],
    ["CLUSTERDOWN The cluster is down", "REFUSED, again soon"],
    ["LOADING Redis is loading the dataset in memory", "REFUSED, again soon"],
    ["MASTERDOWN Link with MASTER is down", "REFUSED, again soon"],
    ["BUSY Redis is busy running a script.", "REFUSED, again soon"],
    ["READONLY You can't write against a read only replica.", "REFUSED, did not run"],
    ["NOREPLICAS Not enough good replicas to write.", "REFUSED, did not run"],
    ["MISCONF Redis is configured to save RDB snapshots", "REFUSED, did not run"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "REFUSED, did not run"],
    ["NOPERM this user has no permissions to run evalsha", "REFUSED, did not run"],
    ["Too many Cluster redirections", "REFUSED, did not run"],
    ["Too many Cluster redirections. Last error: Error: x", "REFUSED, unknown"],
    ["NOAUTH Authentication required.", "UNREACHABLE, did not run"],
    ["WRONGPASS invalid username-password pair", "UNREACHABLE, did not run"],
    ["ERR max number of clients reached", "UNREACHABLE, did not run"],
    ["The client is closed", "UNREACHABLE, did not run"],
    ["The client is offline", "UNREACHABLE, did not run"],
    ["WRONGTYPE Operation against a key holding the wrong kind", "PROTOCOL, unknown"],
    ["ERR user_script:1: broken script: 0123", "PROTOCOL, unknown"],
    ["MINE said by a script", "PROTOCOL, unknown"],
    ["BUSYKEY Target key name already exists.", "PROTOCOL, unknown"],
    ["Connection is closed.", "UNREACHABLE, unknown"],
    ["Socket closed unexpectedly", "UNREACHABLE, unknown"],
    ["Disconnects client", "UNREACHABLE, unknown"],
    ["Command timed out", "UNREACHABLE, unknown"],
    ["read ECONNRESET", "UNREACHABLE, unknown"],
    ["", "UNREACHABLE, unknown"],
  ])("%s", (message, expected) => {
    expect(kindOf(new Error(message))).toBe(expected);
  });

  it.each([undefined, null, "READONLY as a text", 5, {}, { message: 5 }])(
    "%s, which is no error, is an unknown fate",
    (value) => {
      expect(kindOf(value)).toBe("UNREACHABLE, unknown");
    },
  );

  it("keeps the error as the cause, and leaves a CallFailure as it is", () => {
    const error = new Error("READONLY");
    const failure = classify(error);
    expect(failure.cause).toBe(error);
    expect(classify(failure)).toBe(failure);
    expect(failure).toBeInstanceOf(CallFailure);
  });

  it("tells lost scripts and texts that cannot be compiled by their beginning only", () => {
    expect(isNoScript(new Error("NOSCRIPT said otherwise"))).toBe(true);
    expect(isNoScript(new Error("ERR NOSCRIPT"))).toBe(false);
    expect(isCompileError(new Error("ERR Unexpected engine in script shebang: x"))).toBe(true);
    expect(isCompileError(new Error("ERR user_script:1: Error compiling script"))).toBe(false);
  });
});

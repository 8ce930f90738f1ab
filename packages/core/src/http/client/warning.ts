/** Something about client identity that works otherwise than was probably meant. */
export interface ClientAddressWarning {
  /** Stable; each has a heading in the reference of errors. */
  readonly code: "SLUICE_FORWARDING_IGNORED" | "SLUICE_FORWARDING_UNREADABLE";
  /** For people. Names no address and nothing that a client sent. */
  readonly message: string;
}

/** Hears of each code at most once. What it throws is dropped. */
export type OnClientAddressWarning = (warning: ClientAddressWarning) => void;

/** What of a process is used where there is one, known by structure: the core runs anywhere. */
interface WarningHost {
  readonly process?: {
    emitWarning?(text: string, options: { readonly type: string; readonly code: string }): void;
  };
}

/** A warning of the process; where there is no process, nothing. */
export const warnByProcess: OnClientAddressWarning = ({ code, message }) => {
  const { process } = globalThis as WarningHost;
  process?.emitWarning?.(message, { type: "SluiceWarning", code });
};

/** Passes each code on once: a client can cause the same warning with every request. */
export function warnOnce(onWarning: OnClientAddressWarning): OnClientAddressWarning {
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning.code)) return;
    told.add(warning.code);
    try {
      onWarning(warning);
    } catch {
      // Who listens must not be able to turn a request into an error.
    }
  };
}

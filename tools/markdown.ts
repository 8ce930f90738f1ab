/** A fenced block of a Markdown file. */
export interface Fence {
  /** The words after the opening fence: `["ts", "run"]`. */
  readonly info: readonly string[];
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

export interface Link {
  /** As written: `../guides/start.md#install`. */
  readonly target: string;
  readonly line: number;
}

/** What the checks need to know of a Markdown file. */
export interface Markdown {
  readonly fences: readonly Fence[];
  /** The text of every heading, in order, without its `#` signs. */
  readonly headings: readonly string[];
  readonly links: readonly Link[];
}

const fenceMark = /^\s*(`{3,}|~{3,})(.*)$/;
const inlineLink = /\]\(\s*<?([^)\s>]+)>?[^)]*\)/g;
const referenceLink = /^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/;

/** Reads the part of Markdown that the repository uses: fences, `#` headings, links. */
export function readMarkdown(text: string): Markdown {
  const fences: Fence[] = [];
  const headings: string[] = [];
  const links: Link[] = [];
  let open: { mark: string; info: readonly string[]; line: number; body: string[] } | undefined;
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    const [, mark = "", rest = ""] = fenceMark.exec(content) ?? [];
    if (open !== undefined) {
      const isEnd = mark.startsWith(open.mark) && rest.trim() === "";
      if (isEnd) fences.push({ info: open.info, line: open.line, text: open.body.join("\n") });
      else open.body.push(content);
      if (isEnd) open = undefined;
    } else if (mark !== "") {
      open = { mark, info: rest.trim().split(/\s+/), line, body: [] };
    } else {
      const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(content)?.[1];
      if (heading !== undefined) headings.push(heading);
      for (const target of linksOf(content)) links.push({ target, line });
    }
  }
  return { fences, headings, links };
}

function linksOf(content: string): readonly string[] {
  const prose = content.replace(/`[^`]*`/g, "");
  const inline = [...prose.matchAll(inlineLink)].map(([, target = ""]) => target);
  const reference = referenceLink.exec(prose)?.[1];
  return reference === undefined ? inline : [...inline, reference];
}

/** The fragments by which the headings can be linked to, as the repository's host makes them. */
export function anchorsOf(headings: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = plain.trim().replace(/\s/g, "-");
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

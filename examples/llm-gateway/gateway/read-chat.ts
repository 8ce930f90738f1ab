import { type ParsedChat, parseChatRequest } from "../openai/chat-request";

/**
 * Reads the chat request of a framework's request, given how the text of its body is read. It is
 * read once, whoever asks first: the policy, which needs the estimate, or the handler. Never
 * rejects.
 */
export function chatReader<Req extends object>(
  textOf: (req: Req) => Promise<string | undefined>,
): (req: Req) => Promise<ParsedChat> {
  const chats = new WeakMap<Req, Promise<ParsedChat>>();
  return (req) => {
    let chat = chats.get(req);
    if (chat === undefined) {
      chat = textOf(req).then(parsed);
      chats.set(req, chat);
    }
    return chat;
  };
}

function parsed(text: string | undefined): ParsedChat {
  if (text === undefined) return { ok: false, problem: "The body must not exceed 10 MB." };
  return parseChatRequest(text);
}

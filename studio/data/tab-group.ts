/**
 * The tabs of one browser that look at the same server as the same caller. One of them, the leader, asks the server and
 * passes on what it hears: a browser has six connections to a server, and a feed takes one for as long as it lasts.
 *
 * Tabs know each other by messages alone. A tab that comes asks for the leader; without an answer it leads. Of two
 * leaders the one with the lower id stays. A leader that leaves says so, and one that is silent is replaced.
 */
export interface TabGroup<Message> {
  /** Asks the server until the signal ends it. Runs in the leader alone. */
  lead(publish: (message: Message) => void, ending: AbortSignal): void;
  /** Takes what the leader publishes; the leader itself hears it too. */
  hear(message: Message): void;
}

type Note<Message> =
  | { readonly kind: 'ask' | 'lead' | 'leave'; readonly id: string }
  | { readonly kind: 'told'; readonly id: string; readonly message: Message };

/** A leader answers at once, even if it is busy drawing. */
const answerMs = 250;
const beatMs = 2_000;
const silenceMs = 5_000;

/** Takes part in a group until the signal ends it. Tabs with the same name are one group. */
export function joinTabs<Message>(name: string, group: TabGroup<Message>, ending: AbortSignal): void {
  if (typeof BroadcastChannel === 'undefined') {
    group.lead((message) => group.hear(message), ending);
    return;
  }
  const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
  const channel = new BroadcastChannel(name);
  let leading: AbortController | undefined;
  let heardMs = Date.now();
  let election: ReturnType<typeof setTimeout> | undefined;
  const post = (note: Note<Message>) => channel.postMessage(note);
  const lead = () => {
    election = undefined;
    if (leading !== undefined || ending.aborted) return;
    leading = new AbortController();
    const { signal } = leading;
    post({ kind: 'lead', id });
    group.lead((message) => {
      if (signal.aborted) return;
      post({ kind: 'told', id, message });
      group.hear(message);
    }, signal);
  };
  const elect = (waitMs: number) => {
    clearTimeout(election);
    post({ kind: 'ask', id });
    election = setTimeout(lead, waitMs);
  };
  const follow = () => {
    heardMs = Date.now();
    clearTimeout(election);
    leading?.abort();
    leading = undefined;
  };
  channel.onmessage = ({ data }: MessageEvent<Note<Message>>) => {
    if (data.kind === 'ask') {
      if (leading !== undefined) post({ kind: 'lead', id });
    } else if (data.kind === 'leave') {
      // Not all at once: the first to come leads, and the others hear of it.
      if (leading === undefined) elect(answerMs * Math.random());
    } else if (leading !== undefined && id < data.id) post({ kind: 'lead', id });
    else {
      follow();
      if (data.kind === 'told') group.hear(data.message);
    }
  };
  const timer = setInterval(() => {
    if (leading !== undefined) post({ kind: 'lead', id });
    else if (Date.now() - heardMs > silenceMs) {
      heardMs = Date.now();
      elect(answerMs);
    }
  }, beatMs);
  ending.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(election);
    if (leading !== undefined) {
      leading.abort();
      post({ kind: 'leave', id });
    }
    channel.close();
  });
  elect(answerMs);
}

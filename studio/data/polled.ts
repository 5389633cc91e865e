import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from './api.ts';
import { epoch, serverState } from './connection.ts';
import { whenSeen } from './seen.ts';

export interface Polled<Value> {
  readonly value: Value | undefined;
  readonly error: string | undefined;
  /** Asks at once, such as after a change. */
  refresh(): void;
}

/**
 * Asks for something now and every so often while the page is seen, and again when `key` or the connection changes. The
 * last answer stays while the server is away.
 */
export function usePolled<Value>(
  key: string,
  everyMs: number,
  ask: (signal: AbortSignal) => Promise<Value>,
): Polled<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: string }>({ key });
  const [asked, setAsked] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  const connection = epoch.value;
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      await whenSeen(ending.signal);
      if (ending.signal.aborted) return;
      try {
        const value = await latest.current(ending.signal);
        if (!ending.signal.aborted) setState({ key, value });
      } catch (error) {
        if (ending.signal.aborted) return;
        if (serverState.value !== 'away')
          setState((before) => ({ ...(before.key === key ? before : { key }), error: errorText(error) }));
      }
      if (!ending.signal.aborted) timer = setTimeout(() => void look(), everyMs);
    };
    void look();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, connection, asked]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    refresh: () => setAsked((times) => times + 1),
  };
}

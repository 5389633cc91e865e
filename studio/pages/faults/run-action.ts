import { useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';

/** Runs what a button does, one thing at a time, and keeps what went wrong until the next try. */
export function useAction(): {
  readonly isRunning: boolean;
  readonly error: string | undefined;
  run(action: () => Promise<void>): void;
} {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string>();
  const run = (action: () => Promise<void>) => {
    setRunning(true);
    setError(undefined);
    action()
      .catch((failure: unknown) => setError(errorText(failure)))
      .finally(() => setRunning(false));
  };
  return { isRunning, error, run };
}

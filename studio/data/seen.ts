import { signal } from '@preact/signals';

/** Whether the page can be seen. A hidden tab, and a page that the browser keeps for the back button, ask nothing. */
export const isSeen = signal(document.visibilityState !== 'hidden');

const look = () => {
  isSeen.value = document.visibilityState !== 'hidden';
};
document.addEventListener('visibilitychange', look);
addEventListener('pagehide', () => {
  isSeen.value = false;
});
addEventListener('pageshow', look);

/** Resolves when the page can be seen, or when the signal ends the waiting. */
export function whenSeen(ending?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stop = () => {};
    let isOver = false;
    const end = () => {
      isOver = true;
      stop();
      ending?.removeEventListener('abort', end);
      resolve();
    };
    stop = isSeen.subscribe((value) => {
      if (!isOver && (value || ending?.aborted)) queueMicrotask(end);
    });
    ending?.addEventListener('abort', end);
  });
}

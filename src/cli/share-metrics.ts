import type { Observation } from '../observe/observation.ts';
import type { ProcessMetrics } from '../observe/prometheus.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** Lets every worker answer `/_stator/metrics` for the whole server. Answers how to end that. */
export function shareMetrics(observation: Observation, say: (message: FromWorker) => void): () => void {
  const waiting = new Map<number, (found: readonly ProcessMetrics[]) => void>();
  let asked = 0;
  observation.metricsOfOthers = () =>
    new Promise((resolve) => {
      waiting.set(++asked, resolve);
      say({ askMetrics: asked });
    });
  // It waits for nothing but turns of the event loop, so it cannot fail.
  const answer = async (wanted: number) =>
    say({ metrics: await observation.processMetrics(String(process.pid)), wanted });
  const take = (message: ToWorker) => {
    if ('metricsWanted' in message) void answer(message.metricsWanted);
    else if ('metricsOfOthers' in message) {
      waiting.get(message.asked)?.(message.metricsOfOthers);
      waiting.delete(message.asked);
    }
  };
  process.on('message', take);
  return () => {
    process.off('message', take);
    observation.metricsOfOthers = undefined;
    for (const resolve of waiting.values()) resolve([]);
  };
}

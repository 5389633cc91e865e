import type { Transport } from './endpoint-caller.ts';

/** A transport over `fetch`, for pages and for single requests. */
export const fetchTransport: Transport = async ({ method, url, headers, body }, signal) => {
  const response = await fetch(url, { method, headers, signal, ...(method !== 'GET' && { body }) });
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.headers.get(name) ?? undefined,
  };
};

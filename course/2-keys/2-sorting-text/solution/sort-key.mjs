export function sortKey({ at, sensor }) {
  return `${new Date(at).toISOString()}#${String(sensor).padStart(3, '0')}`;
}

export function bounds(fromMs, toMs) {
  return [new Date(fromMs).toISOString(), `${new Date(toMs).toISOString()}#999`];
}

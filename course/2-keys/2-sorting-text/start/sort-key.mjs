export function sortKey({ at, sensor }) {
  return `${sensor}#${new Date(at).toLocaleString('en-US')}`;
}

export function bounds(fromMs, toMs) {
  return [String(fromMs), String(toMs)];
}

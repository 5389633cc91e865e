const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/**
 * A time as the service writes it into quota errors (observed: ACK, October 2026): `Friday, October 9, 2026 at 12:21:34
 * AM Coordinated Universal Time`.
 */
export function utcText(ms: number): string {
  const time = new Date(ms);
  const hour = time.getUTCHours();
  const clock = `${hour % 12 || 12}:${twoDigits(time.getUTCMinutes())}:${twoDigits(time.getUTCSeconds())}`;
  const day = `${days[time.getUTCDay()]}, ${months[time.getUTCMonth()]} ${time.getUTCDate()}`;
  return `${day}, ${time.getUTCFullYear()} at ${clock} ${hour < 12 ? 'AM' : 'PM'} Coordinated Universal Time`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

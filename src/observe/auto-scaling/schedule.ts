/** When a scheduled action is due, by the minute. */
export interface Schedule {
  /** Whether it is due in a minute since 1970. `fromMinute` is when its life began, for rates. */
  isDue(minute: number, fromMinute: number): boolean;
  /** Set for a schedule that is due once. */
  readonly onceAtMs?: number;
}

/** The wall clock of a time zone at a moment. */
interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** Reads `at(…)`, `rate(…)` or `cron(…)`; a text says what is wrong. */
export function readSchedule(text: string, timezone = 'UTC'): Schedule | string {
  const wallTime = wallClock(timezone);
  if (wallTime === undefined) return `Invalid timezone: ${timezone.slice(0, 100)}`;
  const match = /^(at|rate|cron)\((.*)\)$/.exec(text.trim());
  if (match === null) return `Invalid schedule expression: ${text.slice(0, 200)}`;
  const [, kind, inner] = match;
  const schedule =
    kind === 'at'
      ? readAt(inner!, wallTime)
      : kind === 'rate'
        ? readRate(inner!)
        : readCron(inner!, wallTime);
  return schedule ?? `Invalid schedule expression: ${text.slice(0, 200)}`;
}

type WallClock = (ms: number) => WallTime;

function wallClock(timeZone: string): WallClock | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric' },
    });
  } catch {
    return undefined;
  }
  return (ms) => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)] as const),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return { year, month, day, hour, minute, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() };
  };
}

function readAt(text: string, wallTime: WallClock): Schedule | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/.exec(text.trim());
  if (match === null) return undefined;
  const wanted = Date.parse(`${text.trim()}Z`);
  if (Number.isNaN(wanted)) return undefined;
  // The zone's offset at about that time; once more, in case the first guess lay on the other side of a change.
  let ms = wanted;
  for (let i = 0; i < 2; i++) ms = wanted - (asUtc(wallTime(ms)) - Math.floor(ms / 60_000) * 60_000);
  const minute = Math.floor(ms / 60_000);
  return { isDue: (now) => now === minute, onceAtMs: ms };
}

function asUtc({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

const units: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1440 };

function readRate(text: string): Schedule | undefined {
  const match = /^(\d{1,6})\s+(minute|hour|day)(s?)$/.exec(text.trim());
  if (match === null) return undefined;
  const count = Number(match[1]);
  // The service insists on the right form of the word.
  if (count < 1 || (count === 1) !== (match[3] === '')) return undefined;
  const minutes = count * units[match[2]!]!;
  return { isDue: (now, from) => now > from && (now - from) % minutes === 0 };
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

type Matches = (time: WallTime) => boolean;

/** Minutes, hours, day of month, month, day of week, year; one of the days must be `?`. */
function readCron(text: string, wallTime: WallClock): Schedule | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 6) return undefined;
  const [minutes, hours, days, months, weekdays, years] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  if ((days === '?') === (weekdays === '?')) return undefined;
  const checks: (Matches | undefined)[] = [
    field(minutes, 0, 59, [], ({ minute }) => minute),
    field(hours, 0, 23, [], ({ hour }) => hour),
    days === '?' ? () => true : dayOfMonth(days),
    field(months, 1, 12, monthNames, ({ month }) => month),
    weekdays === '?' ? () => true : dayOfWeek(weekdays),
    field(years, 1970, 2199, [], ({ year }) => year),
  ];
  if (checks.includes(undefined)) return undefined;
  return {
    isDue(now) {
      const time = wallTime(now * 60_000);
      return checks.every((check) => check!(time));
    },
  };
}

/** A list of `*`, numbers, names, ranges and steps. Names count from `least`. */
function field(
  text: string,
  least: number,
  most: number,
  names: readonly string[],
  of: (time: WallTime) => number,
): Matches | undefined {
  const allowed = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part);
    if (match === null) return undefined;
    const [, first, last, step] = match;
    const from = first === '*' ? least : numberOf(first!, least, names);
    const to =
      last !== undefined ? numberOf(last, least, names) : first === '*' || step !== undefined ? most : from;
    const by = step === undefined ? 1 : Number(step);
    if (from === undefined || to === undefined || by < 1) return undefined;
    if (from < least || to > most || from > to) return undefined;
    for (let value = from; value <= to; value += by) allowed.add(value);
  }
  return (time) => allowed.has(of(time));
}

function numberOf(text: string, least: number, names: readonly string[]): number | undefined {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const at = names.indexOf(text.toUpperCase());
  return at === -1 ? undefined : at + least;
}

function daysIn({ year, month }: WallTime): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Besides numbers: `L` is the last day, `15W` the weekday nearest to the 15th. */
function dayOfMonth(text: string): Matches | undefined {
  if (text === 'L') return (time) => time.day === daysIn(time);
  const nearest = /^(\d{1,2})W$/.exec(text);
  if (nearest === null) return field(text, 1, 31, [], ({ day }) => day);
  const wanted = Number(nearest[1]);
  if (wanted < 1 || wanted > 31) return undefined;
  return (time) => time.day === nearestWeekday(time, Math.min(wanted, daysIn(time)));
}

function nearestWeekday(time: WallTime, wanted: number): number {
  const weekday = new Date(Date.UTC(time.year, time.month - 1, wanted)).getUTCDay();
  if (weekday === 6) return wanted > 1 ? wanted - 1 : wanted + 2;
  if (weekday === 0) return wanted < daysIn(time) ? wanted + 1 : wanted - 2;
  return wanted;
}

/** 1 is Sunday. `6L` is the last Friday of the month, `6#3` the third. */
function dayOfWeek(text: string): Matches | undefined {
  const special = /^(\w+?)(?:L|#([1-5]))$/.exec(text);
  if (text !== 'L' && special !== null && (special[2] !== undefined || /\dL$/.test(text))) {
    const weekday = numberOf(special[1]!, 1, dayNames);
    if (weekday === undefined || weekday < 1 || weekday > 7) return undefined;
    const isWeekday: Matches = (time) => time.weekday + 1 === weekday;
    if (special[2] === undefined) return (time) => isWeekday(time) && time.day + 7 > daysIn(time);
    const which = Number(special[2]);
    return (time) => isWeekday(time) && Math.ceil(time.day / 7) === which;
  }
  if (text === 'L') return ({ weekday }) => weekday === 6;
  return field(text, 1, 7, dayNames, ({ weekday }) => weekday + 1);
}

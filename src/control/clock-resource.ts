import { type Clock, nowMs, VirtualClock } from '../runtime/clock.ts';
import type { Page, PageRequest } from '../wire/pages.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, ofAccount, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `/_stator/clock`: GET returns the time, POST moves a virtual clock. Every namespace has its own clock;
 * `?namespace=<accessKeyId>` selects one.
 */
export function clockResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  const clockOf = (request: PageRequest): Clock => databaseMeant(namespaces, request).clock;
  return {
    path: ['clock'],
    intents: { GET: ofAccount('stator:ReadClock'), POST: ofServer('stator:MoveClock') },
    methods: {
      GET: (_, request) => clockPage(clockOf(request)),
      async POST(_, request) {
        const { clock, engine } = databaseMeant(namespaces, request);
        if (!(clock instanceof VirtualClock)) {
          throw new ControlError(
            409,
            "This database follows the system's clock, which cannot be moved from here",
          );
        }
        move(clock, jsonBody(request));
        // Waits for the background work that the new time causes, so that, for example, expired items are gone when
        // the client gets the answer.
        await engine.settled();
        return clockPage(clock);
      },
    },
  };
}

function clockPage(clock: Clock): Page {
  const now = nowMs(clock);
  return jsonPage(200, {
    nowMs: now,
    now: new Date(now).toISOString(),
    virtual: clock instanceof VirtualClock,
  });
}

function move(clock: VirtualClock, { advanceMs, setMs, ...others }: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw new ControlError(400, `${unknown} is not known here`);
  if ((advanceMs === undefined) === (setMs === undefined)) {
    throw new ControlError(400, 'Give either advanceMs or setMs');
  }
  const target =
    setMs === undefined ? nowMs(clock) + wholeNumber('advanceMs', advanceMs) : wholeNumber('setMs', setMs);
  if (target < 0 || target > latestMs) {
    throw new ControlError(400, `The time must lie between 0 and ${latestMs} milliseconds since 1970`);
  }
  if (setMs === undefined) clock.advanceMs(advanceMs as number);
  else clock.setMs(target);
}

/** The end of the year 2200. Times are stored in microseconds, which are safe integers until 2255. */
const latestMs = Date.UTC(2201, 0, 1) - 1;

function wholeNumber(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new ControlError(400, `${name} is not a whole number of milliseconds`);
  }
  return value;
}

import { nowMs } from '../runtime/clock.ts';
import { Recording } from '../traffic/recording.ts';
import type { ControlledDatabase } from './control-api.ts';
import { ControlError } from './control-error.ts';
import { jsonBody, jsonPage, ofServer, type Resource } from './control-resource.ts';
import type { Namespaces } from './namespaces.ts';
import { databaseMeant } from './namespaces-resource.ts';

/**
 * `/_stator/record`: POST begins to record the requests of a database, GET takes the lines of the traffic file that have
 * come since the last GET, DELETE ends the recording and answers the rest. There is one recording at a time.
 */
export function recordResource<Database extends ControlledDatabase>(
  namespaces: Namespaces<Database>,
): Resource {
  let running: { readonly recording: Recording; end(): void } | undefined;
  const current = () => {
    if (running === undefined) throw new ControlError(404, 'Nothing is being recorded');
    return running;
  };
  const page = ({ text, isOver }: { readonly text: string; readonly isOver: boolean }) => ({
    status: 200,
    headers: { 'Content-Type': 'application/x-ndjson', 'X-Stator-Recording': isOver ? 'over' : 'running' },
    body: text,
  });
  return {
    path: ['record'],
    intents: {
      POST: ofServer('stator:Record'),
      GET: ofServer('stator:Record'),
      DELETE: ofServer('stator:Record'),
    },
    ofThisProcess: true,
    methods: {
      POST(_, request) {
        const { plain = false, tables, linesMax, ...others } = jsonBody(request);
        const unknown = Object.keys(others)[0];
        if (unknown !== undefined) throw new ControlError(400, `${unknown} is not known here`);
        if (typeof plain !== 'boolean') throw new ControlError(400, 'plain is not true or false');
        if (
          tables !== undefined &&
          !(Array.isArray(tables) && tables.every((one) => typeof one === 'string'))
        )
          throw new ControlError(400, 'tables is not a list of names');
        if (linesMax !== undefined && !(Number.isInteger(linesMax) && (linesMax as number) > 0))
          throw new ControlError(400, 'linesMax is not a whole number');
        if (running !== undefined) throw new ControlError(409, 'A recording is under way already');
        const { observation, clock } = databaseMeant(namespaces, request);
        if (!observation.isOn)
          throw new ControlError(
            409,
            'This server does not observe its requests; start it with --observe on',
          );
        const recording = new Recording({
          nowMs: () => nowMs(clock),
          plain,
          ...(tables === undefined ? {} : { tables: tables as string[] }),
          ...(linesMax === undefined ? {} : { linesMax: linesMax as number }),
        });
        running = { recording, end: observation.join(recording.recorder) };
        return jsonPage(201, { recording: true, values: plain ? 'plain' : 'hashed' });
      },
      GET: () => page(current().recording.take()),
      DELETE() {
        const { recording, end } = current();
        end();
        running = undefined;
        return page({ ...recording.take(), isOver: true });
      },
    },
  };
}

import {
  alarmedTable,
  armsOf,
  each,
  iteratorAgeAlarm,
  listTables,
  lookAtTable,
  madeByStator,
  Questions,
  type RecommendedAlarm,
  recommendedAlarms,
} from '../../doctor/index.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { cloudWatch } from '../../kit/json-service.ts';
import type { CommandContext, Run } from '../command.ts';
import { awsEndpoint } from '../doctor/aws-endpoint.ts';
import { tableNames } from '../doctor/doctor.ts';
import type { Place } from '../doctor/examine.ts';
import { Failure } from '../failure.ts';
import { callFailure, openCaller } from '../open-caller.ts';
import type { Styler } from '../output.ts';
import type { Setting } from '../settings.ts';
import { StopSignals } from '../stop-signals.ts';
import type { alarmsInstallOptions, alarmsListOptions, alarmsRemoveOptions } from './alarms-command.ts';

type Alarm = Readonly<Record<string, unknown>> & { readonly AlarmName: string };
type Deed = 'new' | 'changed' | 'unchanged' | 'removed';

interface Done {
  readonly alarm: string;
  readonly deed: Deed;
}

const deletedAtOnce = 100;

/** Creates what is missing and puts right what differs. */
export const installAlarms: Run<typeof alarmsInstallOptions> = async (settings, context) => {
  const { action, lambda, iteratorAge, dryRun } = settings;
  await withCaller(settings, context, async (caller, signal) => {
    const actions = words(action.value);
    const tables = await alarmedTables(settings, context, caller, signal);
    const wanted = [
      ...tables.flatMap((table) => recommendedAlarms(table, actions)),
      ...words(lambda.value).map((name) => iteratorAgeAlarm(name, iteratorAge.value, actions)),
    ];
    const present = new Map((await allAlarms(caller)).map((alarm) => [alarm.AlarmName, alarm]));
    const done: Done[] = [];
    for (const alarm of wanted) {
      const deed = deedFor(alarm, present.get(alarm.AlarmName));
      if (deed !== 'unchanged' && !dryRun.value)
        await caller.callService(cloudWatch, 'PutMetricAlarm', alarm);
      done.push({ alarm: alarm.AlarmName, deed });
    }
    context.output.result('alarms', { dryRun: dryRun.value, alarms: done }, (style) =>
      doneText(done, dryRun.value, `${tables.length} ${tables.length === 1 ? 'table' : 'tables'}`, style),
    );
  });
};

export const listAlarms: Run<typeof alarmsListOptions> = async (settings, context) => {
  await withCaller(settings, context, async (caller) => {
    const alarms = await ourAlarms(caller, settings.table.value);
    const shown = alarms.map(({ AlarmName, StateValue, AlarmActions }) => ({
      alarm: AlarmName,
      state: String(StateValue),
      actions: AlarmActions ?? [],
    }));
    context.output.result('alarms', { alarms: shown }, (style) =>
      shown.length === 0
        ? 'There are none. stator alarms install makes them.'
        : shown.map(({ alarm, state }) => `${stateText(state, style)}  ${alarm}`).join('\n'),
    );
  });
};

export const removeAlarms: Run<typeof alarmsRemoveOptions> = async (settings, context) => {
  const isDry = settings.dryRun.value;
  await withCaller(settings, context, async (caller) => {
    const names = (await ourAlarms(caller, settings.table.value)).map(({ AlarmName }) => AlarmName);
    for (let from = 0; from < names.length && !isDry; from += deletedAtOnce) {
      const AlarmNames = names.slice(from, from + deletedAtOnce);
      await caller.callService(cloudWatch, 'DeleteAlarms', { AlarmNames });
    }
    const done = names.map((alarm): Done => ({ alarm, deed: 'removed' }));
    context.output.result('alarms', { dryRun: isDry, alarms: done }, (style) =>
      names.length === 0 ? 'There are none.' : doneText(done, isDry, undefined, style),
    );
  });
};

async function withCaller(
  place: Place,
  { environment }: CommandContext,
  run: (caller: EndpointCaller, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signals = new StopSignals();
  try {
    await run(openCaller(place, environment, signals.asked), signals.asked);
  } catch (error) {
    if (!signals.asked.aborted) throw callFailure(error, place.endpoint.value);
  } finally {
    signals.release();
  }
}

async function alarmedTables(
  place: Place & { readonly table: Setting<string | undefined>; readonly iteratorAge: Setting<number> },
  { environment }: CommandContext,
  caller: EndpointCaller,
  signal: AbortSignal,
) {
  const region =
    place.region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1');
  const questions = new Questions(awsEndpoint(caller, { endpoint: place.endpoint.value, region, signal }));
  const given = tableNames(place.table.value);
  const names = given.length > 0 ? given : ((await listTables(questions)) ?? []);
  const tables = await each(names, async (name) => {
    const found = await lookAtTable(questions, name);
    if (found !== undefined) {
      const { StreamSpecification, LatestStreamLabel: label } = found.description;
      const isRead = StreamSpecification?.StreamEnabled === true && !isAws(place.endpoint.value);
      return {
        ...alarmedTable({ ...found, name, arms: armsOf(found.description) }),
        ...(isRead && label !== undefined && { stream: { label, lateSeconds: place.iteratorAge.value } }),
      };
    }
    const denied = questions.notSeen.find(({ what }) => what === 'definitions of tables');
    throw new Failure(
      denied === undefined
        ? `There is no table ${name} in Region ${region}.`
        : `${name} cannot be described: ${denied.why}.`,
      denied?.remedy,
    );
  });
  const [unseen] = questions.notSeen.filter(({ what }) => what === 'the list of tables');
  if (unseen !== undefined) throw new Failure(`The tables cannot be listed: ${unseen.why}.`, unseen.remedy);
  return tables;
}

/** Where readers of streams have no metric of their own. */
function isAws(endpoint: string): boolean {
  return endpoint === 'aws' || /\.amazonaws\.com(?:\.cn)?(?::\d+)?\/?$/.test(endpoint);
}

async function allAlarms(caller: EndpointCaller): Promise<Alarm[]> {
  const found: Alarm[] = [];
  let token: string | undefined;
  do {
    const answer: { readonly MetricAlarms?: readonly Alarm[]; readonly NextToken?: string } =
      await caller.callService(cloudWatch, 'DescribeAlarms', {
        AlarmTypes: ['MetricAlarm'],
        MaxRecords: 100,
        ...(token !== undefined && { NextToken: token }),
      });
    found.push(...(answer.MetricAlarms ?? []));
    token = answer.NextToken;
  } while (token !== undefined);
  return found;
}

/** The alarms that were made here, of all tables or of these. */
async function ourAlarms(caller: EndpointCaller, given: string | undefined): Promise<Alarm[]> {
  const tables = tableNames(given);
  return (await allAlarms(caller)).filter(
    (alarm) =>
      String(alarm.AlarmDescription ?? '').endsWith(madeByStator) &&
      (tables.length === 0 || tables.some((name) => isOf(alarm, name))),
  );
}

/** Names begin with the table, and with a slash the index. */
function isOf({ AlarmName }: Alarm, table: string): boolean {
  return AlarmName.startsWith(`${table} `) || AlarmName.startsWith(`${table}/`);
}

function deedFor(wanted: RecommendedAlarm, present: Alarm | undefined): Deed {
  if (present === undefined) return 'new';
  const isSame = Object.entries(wanted).every(([name, value]) => isEqual(value, present[name]));
  // Actions that were there before and are no longer wanted are a change too.
  const before = (present.AlarmActions ?? []) as readonly unknown[];
  return isSame && (wanted.AlarmActions !== undefined || before.length === 0) ? 'unchanged' : 'changed';
}

/** Whether what is wanted is there, whatever the service adds to it. */
function isEqual(wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) &&
      wanted.length === present.length &&
      wanted.every((one) => present.some((other) => isEqual(one, other)))
    );
  if (typeof wanted === 'object' && wanted !== null)
    return (
      typeof present === 'object' &&
      present !== null &&
      Object.entries(wanted).every(([name, value]) =>
        isEqual(value, (present as Record<string, unknown>)[name]),
      )
    );
  return wanted === present;
}

function words(given: string | undefined): string[] {
  return (given ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const colours = { new: 'green', changed: 'yellow', unchanged: 'dim', removed: 'yellow' } as const;

function doneText(done: readonly Done[], isDry: boolean, of: string | undefined, style: Styler): string {
  const count = (deed: Deed) => done.filter((one) => one.deed === deed).length;
  const counts = (['new', 'changed', 'unchanged', 'removed'] as const)
    .filter((deed) => count(deed) > 0)
    .map((deed) => `${count(deed)} ${deed}`)
    .join(', ');
  return [
    ...done.map(({ alarm, deed }) => `${style(colours[deed], deed.padEnd(9))}  ${alarm}`),
    `${isDry ? 'Would be: ' : ''}${counts === '' ? 'no alarms' : counts}${of === undefined ? '' : `, for ${of}`}.`,
  ].join('\n');
}

function stateText(state: string, style: Styler): string {
  const text = state.padEnd(17);
  return state === 'ALARM' ? style('red', text) : state === 'OK' ? style('green', text) : style('dim', text);
}

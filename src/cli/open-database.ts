import { Stator, type VirtualClock } from '../index.ts';
import { RequestLog } from '../observe/request-log.ts';
import type { PhysicsOverrides } from '../physics-option.ts';
import { machine } from '../runtime/machine/machine.ts';
import type { ListenOptions } from '../server.ts';
import { alarmActionsIn } from './alarm-actions-setting.ts';
import type { startOptions } from './flags.ts';
import type { Settings } from './settings.ts';
import { type StorePlace, storeChoice } from './store-setting.ts';
import { troubleAsFailure } from './store-trouble.ts';

/** All that a process needs to know to serve: settled once, so that every process of a server goes by the same. */
export interface ServerPlan {
  readonly settings: Settings<typeof startOptions>;
  readonly place: StorePlace;
  readonly physics: PhysicsOverrides;
  readonly door: ListenOptions;
}

/** Where log lines go. */
export interface LogSinks {
  /** Takes warnings for the operator. */
  readonly log: (line: string) => void;
  /** Takes lines as they are. */
  readonly write: (line: string) => void;
  readonly debug: boolean;
}

export async function openDatabase(
  { settings, place, physics }: ServerPlan,
  clock: VirtualClock | undefined,
  { log, debug, write }: LogSinks,
): Promise<Stator> {
  const {
    seed,
    region,
    itemCollectionBytesMax,
    globalIndexesMax,
    onDemandSwitchesMax,
    kinesisEndpoint,
    kinesisDir,
    alarmActions,
    s3Endpoint,
    s3Dir,
  } = settings;
  const requestLog = new RequestLog({
    ...{ log: settings.log.value, format: settings.logFormat.value },
    ...{ now: machine.now, write, warn: log },
  });
  return Stator.open({
    store: storeChoice(place, settings),
    physics,
    region: region.value,
    log,
    debug,
    observe: settings.observe.value === 'on',
    observer: settings.log.value === 'off' ? { refused: (event) => requestLog.refused(event) } : requestLog,
    tracing: settings.tracing.value === 'on',
    ...(clock !== undefined && { clock }),
    ...(seed.value !== undefined && { seed: seed.value }),
    kinesis: {
      ...(kinesisEndpoint.value !== undefined && { endpoint: kinesisEndpoint.value }),
      ...(kinesisDir.value !== undefined && { directory: kinesisDir.value }),
    },
    s3: {
      ...(s3Endpoint.value !== undefined && { endpoint: s3Endpoint.value }),
      ...(s3Dir.value !== undefined && { directory: s3Dir.value }),
    },
    ...(alarmActions.value !== undefined && { alarmActions: alarmActionsIn(alarmActions.value) }),
    ...(itemCollectionBytesMax.value !== undefined && {
      itemCollectionBytesMax: itemCollectionBytesMax.value,
    }),
    quotas: {
      ...(globalIndexesMax.value !== undefined && { globalIndexes: globalIndexesMax.value }),
      ...(onDemandSwitchesMax.value !== undefined && {
        switchesToOnDemandPerDay: onDemandSwitchesMax.value,
      }),
    },
  }).catch(async (error: unknown) => {
    throw await troubleAsFailure(error);
  });
}

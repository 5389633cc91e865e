import { Stator, type VirtualClock } from '../index.ts';
import type { PhysicsOverrides } from '../physics-option.ts';
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

export async function openDatabase(
  { settings, place, physics }: ServerPlan,
  clock: VirtualClock | undefined,
  { log, debug }: { readonly log: (line: string) => void; readonly debug: boolean },
): Promise<Stator> {
  const { seed, region, itemCollectionBytesMax, kinesisEndpoint, kinesisDir, alarmActions } = settings;
  return Stator.open({
    store: storeChoice(place, settings),
    physics,
    region: region.value,
    log,
    debug,
    ...(clock !== undefined && { clock }),
    ...(seed.value !== undefined && { seed: seed.value }),
    kinesis: {
      ...(kinesisEndpoint.value !== undefined && { endpoint: kinesisEndpoint.value }),
      ...(kinesisDir.value !== undefined && { directory: kinesisDir.value }),
    },
    ...(alarmActions.value !== undefined && { alarmActions: alarmActionsIn(alarmActions.value) }),
    ...(itemCollectionBytesMax.value !== undefined && {
      itemCollectionBytesMax: itemCollectionBytesMax.value,
    }),
  }).catch(async (error: unknown) => {
    throw await troubleAsFailure(error);
  });
}

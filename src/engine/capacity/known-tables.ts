import { memoryBounds } from '../../physics/constants.ts';
import type { TableResources } from './table-resources.ts';

/** The tables that are open in the model, by storage id and by ARN. */
export class KnownTables {
  readonly #byStorage = new Map<string, TableResources>();
  readonly #storageByArn = new Map<string, string>();

  get size(): number {
    return this.#byStorage.size;
  }

  get(storageId: string): TableResources | undefined {
    return this.#byStorage.get(storageId);
  }

  find(arn: string): TableResources | undefined {
    const storageId = this.#storageByArn.get(arn);
    return storageId === undefined ? undefined : this.#byStorage.get(storageId);
  }

  /** The storage id of the table that has an ARN: a table that is made again has another one than before. */
  storageIdOf(arn: string): string | undefined {
    return this.#storageByArn.get(arn);
  }

  set(storageId: string, resources: TableResources): void {
    this.#byStorage.set(storageId, resources);
    this.#storageByArn.set(resources.main.identity.arn, storageId);
    if (this.#byStorage.size > tablesMax) this.#forgetEvicted();
  }

  delete(storageId: string): TableResources | undefined {
    const resources = this.#byStorage.get(storageId);
    if (resources === undefined) return undefined;
    this.#byStorage.delete(storageId);
    const { arn } = resources.main.identity;
    if (this.#storageByArn.get(arn) === storageId) this.#storageByArn.delete(arn);
    return resources;
  }

  /** The model has a bound on what it lists. What has left it is opened again when somebody asks. */
  #forgetEvicted(): void {
    for (const [storageId, resources] of this.#byStorage) if (!resources.areOpen) this.delete(storageId);
  }
}

/** A little more than the model lists, so that the evicted ones leave many at a time. */
const tablesMax = memoryBounds.resourcesMax + memoryBounds.resourcesMax / 8;

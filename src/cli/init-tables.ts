import { DynamoError } from '../model/errors.ts';
import { updateContinuousBackups } from '../operations/backups/update-continuous-backups.ts';
import { updateContributorInsights } from '../operations/insights/update-contributor-insights.ts';
import type { Answer, Operation } from '../operations/operation.ts';
import { createTable } from '../operations/tables/create-table.ts';
import { deleteTable } from '../operations/tables/delete-table.ts';
import { describeTable } from '../operations/tables/describe-table.ts';
import { listTagsOfResource } from '../operations/tables/list-tags-of-resource.ts';
import { untagResource } from '../operations/tables/untag-resource.ts';
import { updateTable } from '../operations/tables/update-table.ts';
import { updateTimeToLive } from '../operations/tables/update-time-to-live.ts';
import { wait } from '../runtime/machine/machine.ts';
import { requestsOf, type TableDefinition } from '../tables-from/table-definition.ts';
import { defaultAccountId } from '../wire/credentials.ts';
import { Failure } from './failure.ts';
import type { InitContext, Send } from './init.ts';

/**
 * A table bears this tag until all its items are loaded. One that still does when a start finds it was left behind
 * by a process that was killed; with half of its items it would pass for complete, since existing tables are left
 * alone.
 */
const loadingTag = { Key: 'stator:loading', Value: 'true' };

/** The tables of an init file, as far as they are made now. */
export class InitTables {
  readonly #path: string;
  readonly #send: Send;
  readonly #context: InitContext;
  /** The names of those that were not there before. */
  readonly created: string[] = [];

  constructor(path: string, send: Send, context: InitContext) {
    this.#path = path;
    this.#send = send;
    this.#context = context;
  }

  async createIfMissing(table: TableDefinition): Promise<void> {
    const { create, timeToLive, recovery, insights } = requestsOf(table);
    const name = create.TableName;
    const marked = { ...create, Tags: [...(create.Tags ?? []), loadingTag] };
    let answer = await this.#send(createTable, marked);
    if (isInUse(answer)) {
      if (!(await this.#wasLeftBehind(name))) {
        this.#say('info', `Table ${name} of ${this.#path} exists already and was left alone.`);
        return;
      }
      this.#say('info', `Table ${name} of ${this.#path} was not loaded to its end: it is made anew.`);
      await this.#remove(name);
      answer = await this.#send(createTable, marked);
    }
    this.#refuseIfError(name, answer);
    this.created.push(name);
    // On the service these are requests of their own, and take an active table.
    const settings: (readonly [Operation, object])[] = [
      // To turn off what is off is an error.
      ...(timeToLive?.Enabled ? [[updateTimeToLive, { TimeToLiveSpecification: timeToLive }] as const] : []),
      ...(recovery?.PointInTimeRecoveryEnabled
        ? [[updateContinuousBackups, { PointInTimeRecoverySpecification: recovery }] as const]
        : []),
      ...insights.map(
        (one) => [updateContributorInsights, { ...one, ContributorInsightsAction: 'ENABLE' }] as const,
      ),
    ];
    if (settings.length > 0) await this.untilActive(name);
    for (const [operation, input] of settings)
      this.#refuseIfError(name, await this.#send(operation, { TableName: name, ...input }));
  }

  /** With physics enforced, a table takes its time to be created, and to be deleted. */
  async untilActive(table: string): Promise<void> {
    await this.#while(table, 'CREATING');
  }

  /** All is loaded: from now on the tables are the user's. */
  async release(): Promise<void> {
    for (const table of this.created) {
      const input = { ResourceArn: this.#arnOf(table), TagKeys: [loadingTag.Key] };
      this.#refuseIfError(table, await this.#send(untagResource, input));
    }
  }

  async removeCreated(): Promise<void> {
    for (const table of this.created.splice(0)) await this.#remove(table);
  }

  async #remove(table: string): Promise<void> {
    await this.untilActive(table);
    // Refused where there is no protection to take away, which is as well.
    await this.#send(updateTable, { TableName: table, DeletionProtectionEnabled: false });
    await this.#send(deleteTable, { TableName: table });
    await this.#while(table, 'DELETING');
  }

  /** Where other processes share the store, one of them may be loading just now, and only the user can tell. */
  async #wasLeftBehind(table: string): Promise<boolean> {
    const answer = await this.#send(listTagsOfResource, { ResourceArn: this.#arnOf(table) });
    const { Tags: tags = [] } = answer as { readonly Tags?: readonly { readonly Key: string }[] };
    if (!tags.some(({ Key }) => Key === loadingTag.Key)) return false;
    if (this.#context.db.engine.store.exclusive) return true;
    this.#say(
      'warning',
      `Table ${table} is being loaded by another process. If there is none, it was left behind: delete it and start again.`,
    );
    return false;
  }

  async #while(table: string, status: 'CREATING' | 'DELETING'): Promise<void> {
    const { clock, stop, output } = this.#context;
    while (!stop.aborted || status === 'CREATING') {
      const answer = await this.#send(describeTable, { TableName: table });
      if (statusOf(answer) !== status) return;
      output.progress(`Table ${table} is ${status}`);
      if (clock !== undefined) clock.advanceMs(1_000);
      else await wait(100);
    }
  }

  #refuseIfError(table: string, answer: Answer): void {
    if (answer instanceof DynamoError)
      throw new Failure(`${this.#path}: table ${table} was refused: ${answer.name}: ${answer.message}`);
  }

  #arnOf(table: string): string {
    return `arn:aws:dynamodb:${this.#context.region}:${defaultAccountId}:table/${table}`;
  }

  #say(level: 'info' | 'warning', line: string): void {
    this.#context.output.log(level, line);
  }
}

function isInUse(answer: Answer): boolean {
  return answer instanceof DynamoError && answer.name === 'ResourceInUseException';
}

function statusOf(answer: Answer): unknown {
  return (answer as { readonly Table?: { readonly TableStatus?: unknown } }).Table?.TableStatus;
}

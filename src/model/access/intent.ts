import type { MaybePromise } from '../maybe-promise.ts';
import { isArn, parseTableArn, partitionOf, tableArnIn } from '../tables/table-arn.ts';
import type { WantedItems, WantedTable } from './wanted-items.ts';

/**
 * One thing that a request wants: an action on a resource. Intents are made from the checked input alone, before any
 * table is looked up, so that a refusal says nothing about what exists. A request has one intent for every pair of
 * action and resource that AWS would ask IAM about, in the order of the request.
 */
export interface Intent {
  /** The action in IAM's words, such as `dynamodb:GetItem` or `stator:Explain`. */
  readonly action: string;
  /** The ARN of the resource. A name that is no valid ARN stands here as it was sent; its operation refuses it. */
  readonly resource: string;
  /**
   * The account that owns the resource. Undefined if the name does not say: for a bucket, whose owner is checked where
   * it is opened, and for a name that no operation accepts.
   */
  readonly account: string | undefined;
  /** The transaction that the action is a part of. */
  readonly enclosingOperation?: string;
  /**
   * True for a resource that the request names although AWS asks no permission for it, such as the stream that a page
   * continues behind. The rule about accounts judges it; a policy does not.
   */
  readonly isMentioned?: true;
  /** True for what concerns every account on the server. Only an administrator of the server may do it. */
  readonly isServerWide?: true;
  /** The items that the intent reads or writes. Undefined for intents about whole tables and other resources. */
  readonly items?: WantedItems | undefined;
  /** Looks up the table as it is now. Undefined if it does not exist. Intents that name no table lack this function. */
  table?(): MaybePromise<WantedTable | undefined>;
}

/** The account and Region from which a request names resources. */
export interface IntentScope {
  readonly account: string;
  readonly region: string;
}

/** The parts of a table's intent beside its action and name. */
export interface TableIntentParts {
  /** The index that is read. IAM is asked about the index alone. */
  readonly index?: string | undefined;
  readonly enclosingOperation?: string | undefined;
  readonly items?: WantedItems | undefined;
  readonly lookUp?: (() => MaybePromise<WantedTable | undefined>) | undefined;
}

/** An action on a table, or on one of its parts. Every request makes one, so the ARN is formatted on demand. */
export class TableIntent implements Intent {
  readonly action: string;
  readonly account: string | undefined;
  readonly enclosingOperation?: string;
  readonly items: WantedItems | undefined;
  readonly #named: string;
  readonly #scope: IntentScope;
  readonly #index: string | undefined;
  readonly #lookUp: TableIntentParts['lookUp'];

  /** `named` is a table's name or any ARN, as the client sent it. */
  constructor(action: string, named: string, scope: IntentScope, parts: TableIntentParts = {}) {
    this.action = action;
    this.account = isArn(named) ? accountOfArn(named) : scope.account;
    this.items = parts.items;
    this.#named = named;
    this.#scope = scope;
    this.#index = parts.index;
    this.#lookUp = parts.lookUp;
    if (parts.enclosingOperation !== undefined) this.enclosingOperation = parts.enclosingOperation;
  }

  table(): MaybePromise<WantedTable | undefined> {
    return this.#lookUp?.();
  }

  get resource(): string {
    const named = isArn(this.#named) ? inOwnPartition(this.#named) : tableArnIn(this.#scope, this.#named);
    return this.#index === undefined ? named : `${named}/index/${this.#index}`;
  }
}

/**
 * An action that concerns no single table. Its resource is what AWS names in the refusal of such an action (observed:
 * user reports, 2022 to 2026).
 */
export function accountIntent(action: string, scope: IntentScope): Intent {
  return { action, account: scope.account, resource: tableArnIn(scope, '*') };
}

/** An action on the resource of an ARN, whatever its service. */
export function arnIntent(action: string, arn: string): Intent {
  return { action, resource: inOwnPartition(arn), account: accountOfArn(arn) };
}

/** A resource that a request names without needing a permission for it. */
export function mention(action: string, arn: string): Intent {
  return { ...arnIntent(action, arn), isMentioned: true };
}

/** An action of the server's administrator. */
export function serverIntent(action: string): Intent {
  return { action, resource: '*', account: undefined, isServerWide: true };
}

/** Operations do not look at the partition of an ARN, so another spelling of it must not hide the resource. */
function inOwnPartition(arn: string): string {
  return arn.replace(
    /^arn:[^:]*:([^:]*):([^:]+):(?=\d{12}:)/,
    (_, service: string, region: string) => `arn:${partitionOf(region)}:${service}:${region}:`,
  );
}

/** The account in an ARN; undefined for what is no ARN, or an ARN without an account. */
function accountOfArn(arn: string): string | undefined {
  return parseTableArn(arn)?.account ?? /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(arn)?.[1];
}

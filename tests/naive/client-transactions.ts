import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { itemRequestOf } from './item-request.ts';
import { cancelledText } from './naive-transactions.ts';
import { fromSdk, type Input, topItem, withoutUndefined } from './sdk-values.ts';
import type { TransactAction, TransactGetStep, TransactWriteStep } from './steps.ts';

const names = { put: 'Put', update: 'Update', delete: 'Delete', check: 'ConditionCheck' } as const;

/** The request of a transaction, made of those that its actions would be by themselves. */
export function transactRequestOf(step: TransactWriteStep | TransactGetStep, tableName: string): Input {
  const TransactItems =
    step.kind === 'transactGet'
      ? step.gets.map((get) => ({ Get: itemRequestOf({ ...get, kind: 'get' }, tableName) }))
      : step.actions.map((action) => ({ [names[action.kind]]: actionOf(action, tableName) }));
  return withoutUndefined({ TransactItems, ReturnConsumedCapacity: step.capacity });
}

function actionOf(action: TransactAction, tableName: string): Input {
  return itemRequestOf(action.kind === 'check' ? { ...action, kind: 'delete' } : action, tableName);
}

/** What a cancelled transaction says, with its reasons. */
export function reasonsText({ CancellationReasons = [] }: TransactionCanceledException): string {
  return cancelledText(
    CancellationReasons.map(({ Code, Message, Item }) => ({
      code: Code!,
      ...(Message !== undefined && { message: Message }),
      ...(Item !== undefined && { item: topItem(fromSdk(Item)) }),
    })),
  );
}

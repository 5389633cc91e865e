import type { ComponentType } from 'preact';
import type { TableDescription } from '../data/tables.ts';

/** What a page of a table is given. It is drawn anew when the description changes. */
export interface TablePageProps {
  readonly table: TableDescription;
}

interface Page<Props> {
  /** The last part of the address: `#/t/orders/<id>`. */
  readonly id: string;
  readonly title: string;
  /** What a person can do there; the palette finds it by these words. */
  readonly about: string;
  load(): Promise<{ default: ComponentType<Props> }>;
}

export type TablePage = Page<TablePageProps>;
export type ServerPage = Page<Record<never, never>>;

/** The tabs of a table, in order. The first is opened with the table. */
export const tablePages: readonly TablePage[] = [
  {
    id: 'items',
    title: 'Items',
    about: 'browse, edit, create and delete items',
    load: () => import('../pages/items/items-page.tsx'),
  },
  {
    id: 'query',
    title: 'Query',
    about: 'Query, Scan, PartiQL and raw requests',
    load: () => import('../pages/query/query-page.tsx'),
  },
  {
    id: 'indexes',
    title: 'Indexes',
    about: 'the same items by the keys of the table and of each index',
    load: () => import('../pages/indexes/indexes-page.tsx'),
  },
  {
    id: 'partitions',
    title: 'Partitions',
    about: 'heat of hash ranges, hot keys, splits and throttles',
    load: () => import('../pages/partitions/partitions-page.tsx'),
  },
  {
    id: 'streams',
    title: 'Streams',
    about: 'changes of items as they happen, shards and followers',
    load: () => import('../pages/streams/streams-page.tsx'),
  },
  {
    id: 'history',
    title: 'History',
    about: 'point-in-time recovery: the table at any second, versions of an item, restore one',
    load: () => import('../pages/history/history-page.tsx'),
  },
  {
    id: 'patterns',
    title: 'Patterns',
    about: 'access patterns of the model and of traffic: plan, proof, forecast, cost',
    load: () => import('../pages/patterns/patterns-page.tsx'),
  },
  {
    id: 'metrics',
    title: 'Metrics',
    about: 'charts under CloudWatch names, and alarms',
    load: () => import('../pages/metrics/metrics-page.tsx'),
  },
];

/** The pages of the whole server. The first is what `#/` shows; the others stand at the foot of the rail. */
export const serverPages: readonly ServerPage[] = [
  {
    id: '',
    title: 'Overview',
    about: 'all tables, traffic and how to connect',
    load: () => import('../pages/overview/overview-page.tsx'),
  },
  {
    id: 'faults',
    title: 'Time and faults',
    about: 'move the clock, inject errors, choose physics, snapshot and reset',
    load: () => import('../pages/faults/faults-page.tsx'),
  },
  {
    id: 'handbook',
    title: 'Handbook',
    about: 'how to design and run tables: keys, indexes, heat, cost, recipes',
    load: () => import('../pages/handbook/handbook-page.tsx'),
  },
];

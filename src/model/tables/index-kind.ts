/**
 * The kinds of secondary indexes, in the order in which a table prepares them. A new kind stands here, in
 * `IndexDescriptions`, and in `indexBehaviours`; where else it is needed, the compiler says.
 */
export const indexKinds = ['local', 'global'] as const;

export type IndexKind = (typeof indexKinds)[number];

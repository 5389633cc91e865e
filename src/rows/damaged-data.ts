/** Bytes of an import that cannot be read, and where the damage lies. */
export class DamagedData extends Error {}

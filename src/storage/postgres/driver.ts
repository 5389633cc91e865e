import type pg from 'pg';
import { isMissingPackage } from '../../model/missing-package.ts';
import { StoreError } from '../store-error.ts';

export type Driver = typeof pg;

/** Loads the package `pg`, which only those who use this store need to install. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    throw new StoreError(
      'unavailable',
      'The PostgreSQL store needs the package "pg": run "npm install pg" beside Stator',
      error,
    );
  }
}

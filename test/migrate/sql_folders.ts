import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A copy-free stand-in for `db/migrations` and `db/functions`, to be edited by a test. */
export type SqlFolders = {
  migrationsDir: string
  functionsDir: string
  /** Writes a file, `migrations/0002_x.sql` or `functions/api/x.sql`. */
  write(path: string, sql: string): void
  remove(path: string): void
  dispose(): void
}

const base = `
  do $$
  begin
    if not exists (select from pg_roles where rolname = 'supply_owner') then
      create role supply_owner nologin;
      create role supply_api nologin;
      create role supply_worker nologin;
      create role supply_operator nologin;
      create role supply_support nologin;
      create role supply_trade nologin;
      create role supply_finance nologin;
      create role supply_analyst nologin;
    end if;
    if not pg_has_role(current_user, 'supply_owner', 'member') then
      grant supply_owner to current_user;
    end if;
  end
  $$;
  create schema supply authorization supply_owner;
  create schema core authorization supply_owner;
  create schema work authorization supply_owner;
  create schema api authorization supply_owner;
  create schema ops authorization supply_owner;
  create schema bi authorization supply_owner;
  grant usage on schema api to supply_api;
  create table supply.code_version (
    id boolean primary key default true check (id), release text not null, checksum text not null, files jsonb not null,
    loaded_at timestamptz not null);
  alter table supply.code_version owner to supply_owner;
  create table supply.thing (id int primary key, name text not null);
  alter table supply.thing owner to supply_owner;`

/** New folders with one migration, `0001_base`, that makes the schemas and a table `supply.thing (id, name)`. */
export function sqlFolders(): SqlFolders {
  const root = mkdtempSync(join(tmpdir(), 'supply-ordering-sql-'))
  const folders: SqlFolders = {
    migrationsDir: join(root, 'migrations'),
    functionsDir: join(root, 'functions'),
    write(path, sql) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), sql)
    },
    remove: (path) => rmSync(join(root, path)),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  }
  mkdirSync(folders.functionsDir)
  folders.write('migrations/0001_base.sql', base)
  return folders
}

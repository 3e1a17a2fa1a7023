"""The tables and indexes at number 65.

They are frozen: later changes are migrations with higher numbers. Each table refers only to tables before it;
old rows are copied in this order.
"""

from __future__ import annotations

# Text compares by code point on both databases, so that order and ranges of paths are the same.

PEOPLE_AND_ITEMS = (
    "CREATE TABLE shortname (name {text} PRIMARY KEY){clustered}",
    # `label` is the title in normal form, or the name if there is no title. `sought` contains the words of
    # all texts of an item, each after a blank; empty if they are too long.
    """CREATE TABLE item (
        id {id}, kind {text} NOT NULL, owner {text} NOT NULL, name {text} NOT NULL,
        shortname {text} NOT NULL UNIQUE, created_on {text} NOT NULL, last_modified {text} NOT NULL,
        label {text} NOT NULL DEFAULT '', sought {text} NOT NULL DEFAULT '',
        UNIQUE (kind, owner, name))""",
    "CREATE INDEX item_changed ON item ({changed})",
    "CREATE INDEX item_label ON item ({labelled})",
    """CREATE TABLE account (
        id {id}, name {text} NOT NULL UNIQUE, kind {text} NOT NULL, password {text} NOT NULL, email {text},
        verified {bool} NOT NULL, public {bool} NOT NULL, locked {bool} NOT NULL,
        item {int} NOT NULL UNIQUE REFERENCES item (id), created_on {text} NOT NULL)""",
    "CREATE UNIQUE INDEX account_email ON account (lower(email)) WHERE verified",
    # `parent` is the reference of a group's organisation; `plan` is that of the organisation.
    """CREATE TABLE people_group (
        ref {text} PRIMARY KEY, kind {text} NOT NULL, owner {text} NOT NULL, name {text} NOT NULL,
        parent {text} REFERENCES people_group (ref), public {bool} NOT NULL, plan {text},
        created_on {text} NOT NULL, item {int} NOT NULL UNIQUE REFERENCES item (id)){clustered}""",
    "CREATE UNIQUE INDEX people_group_org ON people_group (owner) WHERE kind = 'org'",
    "CREATE INDEX people_group_parent ON people_group (parent, ref) WHERE parent IS NOT NULL",
    "CREATE INDEX people_group_public ON people_group (kind, ref) WHERE public",
    # `group_ref` is written as the target of a share: `@user~group` or `+org~group`.
    """CREATE TABLE member (
        group_ref {text} NOT NULL, name {text} NOT NULL, role {text} NOT NULL, pending {bool} NOT NULL,
        created_on {text} NOT NULL, invited_by {text}, PRIMARY KEY (group_ref, name)){clustered}""",
    "CREATE INDEX member_name ON member (name, group_ref)",
    """CREATE INDEX member_elevated ON member (name, group_ref)
    WHERE role <> 'members' AND NOT pending""",
    # A connection has one row, under the account that requested it.
    """CREATE TABLE tie (
        kind {text} NOT NULL, name {text} NOT NULL, other {text} NOT NULL, pending {bool} NOT NULL,
        created_on {text} NOT NULL, PRIMARY KEY (kind, name, other)){clustered}""",
    "CREATE INDEX tie_other ON tie (kind, other, name)",
    # `mailbox` is the address in lower case, for look-ups; a verified one belongs to one account.
    """CREATE TABLE address (
        account {text} NOT NULL, mailbox {text} NOT NULL, address {text} NOT NULL, added_on {text} NOT NULL,
        verified_on {text}, primary_on {text}, PRIMARY KEY (account, mailbox)){clustered}""",
    "CREATE UNIQUE INDEX address_verified ON address (mailbox) WHERE verified_on IS NOT NULL",
)
TREE = (
    # `text` is the last column: reading the others does not read the pages of a long text.
    """CREATE TABLE leaf (
        item {int} NOT NULL REFERENCES item (id), rel {text} NOT NULL, revision {int} NOT NULL,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, author {text},
        digest {text}, size {int}, media {text}, text_digest {text}, text {text},
        PRIMARY KEY (item, rel)){clustered}""",
    "CREATE INDEX leaf_digest ON leaf (digest) WHERE digest IS NOT NULL",
    "CREATE INDEX leaf_tag ON leaf (rel) WHERE rel >= 'tags/' AND rel < 'tags0'",
    # `kind` and `owner` repeat the item's, which never change: a listing goes from principals to shares.
    """CREATE TABLE share (
        item {int} NOT NULL REFERENCES item (id), target {text} NOT NULL, letters {text} NOT NULL,
        name {text} NOT NULL, kind {text} NOT NULL, owner {text} NOT NULL, created_on {text} NOT NULL,
        PRIMARY KEY (item, target)){clustered}""",
    "CREATE INDEX share_target ON share (target, kind, owner)",
    # `parent` 0: no parent; `topic` is the first comment of a thread.
    """CREATE TABLE comment (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, parent {int} NOT NULL,
        topic {int} NOT NULL, depth {int} NOT NULL, author {text} NOT NULL, slug {text} NOT NULL,
        created_on {text} NOT NULL, last_modified {text} NOT NULL, edited {bool} NOT NULL,
        deleted {bool} NOT NULL, text {text} NOT NULL, UNIQUE (item, parent, author, slug))""",
    "CREATE INDEX comment_topic ON comment (topic)",
    # `field` is the part of the item with the word: n name, o owner's name, t title, s summary.
    """CREATE TABLE search_word (
        word {text} NOT NULL, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        field {text} NOT NULL, PRIMARY KEY (word, item, field)){clustered}""",
    "CREATE INDEX search_word_item ON search_word (item, word, field)",
    # `letter` and `owner` are empty if `name` is a shortname. Rows are deleted and moved with the leaf.
    """CREATE TABLE item_reference (
        item {int} NOT NULL, rel {text} NOT NULL, letter {text} NOT NULL, owner {text} NOT NULL,
        name {text} NOT NULL, PRIMARY KEY (item, rel, letter, owner, name),
        FOREIGN KEY (item, rel) REFERENCES leaf (item, rel) ON DELETE CASCADE ON UPDATE CASCADE
        ){clustered}""",
    "CREATE INDEX item_reference_name ON item_reference (letter, owner, name, item)",
    # `target` is that of a share. The action was counted between `first_on` and `last_on`.
    """CREATE TABLE deed (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, actor {text} NOT NULL,
        kind {text} NOT NULL, below {text} NOT NULL, target {text} NOT NULL, first_on {text} NOT NULL,
        last_on {text} NOT NULL, times {int} NOT NULL)""",
    "CREATE INDEX deed_item ON deed (item, id)",
    # `mail` is due, taken, or NULL when no mail is wanted. `item` and `comment` are the subject.
    """CREATE TABLE notice (
        id {id}, account {text} NOT NULL, created_on {text} NOT NULL, kind {text} NOT NULL,
        level {text} NOT NULL, path {text} NOT NULL, text {text} NOT NULL, mail {text},
        source {text} NOT NULL DEFAULT '', item {int} NOT NULL DEFAULT 0, comment {int})""",
    "CREATE INDEX notice_account ON notice (account, id)",
    "CREATE INDEX notice_mail ON notice (id) WHERE mail = 'due'",
    "CREATE INDEX notice_source ON notice (account, source, id)",
    "CREATE INDEX notice_item ON notice (item, kind)",
    "CREATE INDEX notice_comment ON notice (comment) WHERE comment IS NOT NULL",
)
ACCESS = (
    """CREATE TABLE token (
        id {id}, account {text} NOT NULL, name {text} NOT NULL, digest {text} NOT NULL UNIQUE,
        description {text} NOT NULL, via {text} NOT NULL, claim {text}, run {int}, created_on {text} NOT NULL,
        expires_on {text}, revoked_on {text}, last_used_on {text})""",
    "CREATE UNIQUE INDEX token_name ON token (account, name) WHERE revoked_on IS NULL",
    "CREATE INDEX token_account ON token (account, name)",
    "CREATE INDEX token_run ON token (run) WHERE run IS NOT NULL",
    """CREATE INDEX token_session ON token (account, id)
        WHERE via = 'session' AND revoked_on IS NULL AND run IS NULL""",
    "CREATE INDEX token_revoked ON token (account, id) WHERE revoked_on IS NOT NULL AND run IS NULL",
    """CREATE TABLE token_use (
        id {id}, token {int} NOT NULL,
        used_on {text} NOT NULL, what {text} NOT NULL)""",
    "CREATE INDEX token_use_token ON token_use (token, id)",
    """CREATE TABLE challenge (
        uid {text} PRIMARY KEY, account {text} NOT NULL, email {text} NOT NULL, code {text} NOT NULL,
        tries {int} NOT NULL, expires_on {text} NOT NULL){clustered}""",
    "CREATE INDEX challenge_account ON challenge (account)",
    """CREATE TABLE password_reset (
        code {text} PRIMARY KEY, account {text} NOT NULL, email {text} NOT NULL,
        expires_on {text} NOT NULL, asker {text} NOT NULL DEFAULT ''){clustered}""",
    "CREATE INDEX password_reset_account ON password_reset (account)",
    # `redirects` are separated by lines, `scopes` by blanks.
    """CREATE TABLE application (
        id {id}, client {text} NOT NULL UNIQUE, owner {text}, name {text} NOT NULL,
        description {text} NOT NULL, redirects {text} NOT NULL, scopes {text} NOT NULL,
        created_on {text} NOT NULL)""",
    "CREATE INDEX application_owner ON application (owner)",
    """CREATE TABLE approval (
        code {text} PRIMARY KEY, client {text} NOT NULL REFERENCES application (client) ON DELETE CASCADE,
        account {text} NOT NULL, approver {int} NOT NULL, redirect {text} NOT NULL,
        challenge {text} NOT NULL, scope {text} NOT NULL, expires_on {text} NOT NULL,
        ends_on {text} NOT NULL, token {int}){clustered}""",
    "CREATE INDEX approval_client ON approval (client)",
    "CREATE INDEX approval_expires ON approval (expires_on)",
    # A new token may have the name of a revoked one; its number is never reused.
    """CREATE TABLE connection (
        token {int} PRIMARY KEY, client {text} NOT NULL REFERENCES application (client) ON DELETE CASCADE,
        account {text} NOT NULL, approver {int} NOT NULL, scope {text} NOT NULL,
        ends_on {text} NOT NULL){clustered}""",
    "CREATE INDEX connection_client ON connection (client)",
    "CREATE INDEX connection_ends ON connection (ends_on)",
    """CREATE TABLE refresh (
        digest {text} PRIMARY KEY, token {int} NOT NULL REFERENCES connection (token) ON DELETE CASCADE,
        renewed {bool} NOT NULL){clustered}""",
    "CREATE INDEX refresh_token ON refresh (token)",
    """CREATE TABLE ssh_key (
        id {id}, account {text} NOT NULL, name {text} NOT NULL, title {text} NOT NULL,
        summary {text} NOT NULL, kind {text}, body {text}, comment {text}, fingerprint {text},
        created_on {text} NOT NULL, last_modified {text} NOT NULL, last_used_on {text},
        UNIQUE (account, name), UNIQUE (account, fingerprint))""",
    "CREATE INDEX ssh_key_fingerprint ON ssh_key (fingerprint)",
    # The key for making the first account in a browser, and the mark that connects a database with its
    # folders: at most one row each.
    """CREATE TABLE setup_key (
        id {int} PRIMARY KEY CHECK (id = 1), key {text} NOT NULL, expires_on {text} NOT NULL)""",
    "CREATE TABLE installation (id {int} PRIMARY KEY CHECK (id = 1), mark {text} NOT NULL)",
)
LIMITS = (
    # `ends` is in seconds since 1970. The count is not used after that time.
    """CREATE TABLE rate (
        subject {text} PRIMARY KEY, ends {int} NOT NULL, taken {int} NOT NULL){clustered}""",
    "CREATE INDEX rate_ends ON rate (ends)",
    """CREATE TABLE quota (
        account {text} NOT NULL, name {text} NOT NULL, value {int} NOT NULL,
        PRIMARY KEY (account, name)){clustered}""",
    # `bytes` is the size of the database's rows, `packs` is the item's additional size on disk.
    """CREATE TABLE item_use (
        item {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE, owner {text} NOT NULL,
        bytes {int} NOT NULL, packs {int} NOT NULL){clustered}""",
    "CREATE INDEX item_use_owner ON item_use (owner, bytes, packs)",
    """CREATE TABLE row_count (
        account {text} NOT NULL, name {text} NOT NULL, number {int} NOT NULL,
        PRIMARY KEY (account, name)){clustered}""",
)
RUNS = (
    # `lines` counts the log's entries; `discarded`: the job is removed and the run is deleted when it ends.
    # `top` is the top-level run of a child run. `expired_on` is when the files were removed, `duration`
    # seconds with two decimals. `input_text` is the text of an `input.json` as the only file, `input_digest`
    # that of a zip, `input_size` the bytes of either. `behind` is JSON, names with reasons; NULL: not known.
    """CREATE TABLE run (
        key {id}, job {int} NOT NULL, id {text} NOT NULL, shortname {text} NOT NULL UNIQUE,
        status {text} NOT NULL, trigger {text} NOT NULL, source {text} NOT NULL, caller {text} NOT NULL,
        created_on {text} NOT NULL, started_on {text}, completed_on {text}, input {text}, digest {text},
        size {int}, media {text}, output_name {text}, claim {text}, worker {text}, parent {int},
        parent_step {text}, author {text}, lines {int} NOT NULL, discarded {bool} NOT NULL,
        spaces {text} NOT NULL, plan {text}, top {int}, expired_on {text}, duration {text},
        log_size {int} NOT NULL DEFAULT 0, input_text {text}, input_digest {text},
        input_size {int} NOT NULL DEFAULT 0, tally {text}, files {text}, behind {text}, UNIQUE (job, id))""",
    "CREATE INDEX run_job ON run (job, key) WHERE parent IS NULL",
    "CREATE INDEX run_open ON run (key) WHERE status IN ('processing', 'waiting', 'canceling')",
    "CREATE INDEX run_digest ON run (digest) WHERE digest IS NOT NULL",
    "CREATE INDEX run_top ON run (top) WHERE top IS NOT NULL",
    "CREATE INDEX run_inside ON run (id) WHERE top IS NOT NULL",
    """CREATE INDEX run_kept ON run (completed_on)
    WHERE expired_on IS NULL AND completed_on IS NOT NULL AND parent IS NULL""",
    """CREATE INDEX run_queue ON run (caller, key)
    WHERE status IN ('processing', 'canceling') AND worker IS NULL AND top IS NULL""",
    "CREATE INDEX run_input ON run (input_digest) WHERE input_digest IS NOT NULL",
    # NULL for a run on one host: it is in no index.
    "CREATE INDEX run_files ON run (files) WHERE files IS NOT NULL",
    # `replica` -1 is the step itself.
    """CREATE TABLE step (
        run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, ordinal {int} NOT NULL,
        replica {int} NOT NULL, name {text} NOT NULL, status {text} NOT NULL, started_on {text},
        completed_on {text}, fan_out {bool} NOT NULL, tally {text}, files {text},
        PRIMARY KEY (run, ordinal, replica)){clustered}""",
    """CREATE TABLE run_line (
        run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, seq {int} NOT NULL, time {text} NOT NULL,
        severity {text} NOT NULL, message {text} NOT NULL, PRIMARY KEY (run, seq)){clustered}""",
    # `space` contains the files at the hold, `frozen` those with which the run was continued.
    """CREATE TABLE hold (
        run {int} NOT NULL REFERENCES run (key) ON DELETE CASCADE, step {text} NOT NULL,
        phase {text} NOT NULL, waiting_since {text} NOT NULL, settled_at {text}, outcome {text},
        settled_by {text}, space {int}, frozen {int}, PRIMARY KEY (run, step, phase)){clustered}""",
    "CREATE INDEX hold_space ON hold (space)",
    # `trouble` describes a fault of the engine; NULL if there is none.
    """CREATE TABLE worker (
        name {text} PRIMARY KEY, home {text} NOT NULL, expires_on {text} NOT NULL, trouble {text},
        since {text}){clustered}""",
    # `counts` are 32 bits for each counter of each day of the month, lowest first.
    """CREATE TABLE activity (
    job {int} NOT NULL, month {text} NOT NULL, counts {bytes} NOT NULL,
    PRIMARY KEY (job, month)){clustered}""",
    # `text` repeats config/schedule, `zone` and `expression` are its parts.
    """CREATE TABLE schedule (
        job {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE, text {text} NOT NULL,
        zone {text} NOT NULL, expression {text} NOT NULL, planned {text} NOT NULL){clustered}""",
    "CREATE INDEX schedule_planned ON schedule (planned)",
    """CREATE TABLE firing (
        job {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, planned {text} NOT NULL,
        PRIMARY KEY (job, planned)){clustered}""",
    "CREATE INDEX firing_planned ON firing (planned)",
    # `labels` is a JSON list, `revision` the commit; the build may use images that `pusher` may use. `bases`
    # is JSON, item ids of repos; NULL: not known.
    """CREATE TABLE build (
        id {id}, repo {int} NOT NULL, labels {text} NOT NULL, ref {text} NOT NULL,
        revision {text} NOT NULL, status {text} NOT NULL, worker {text}, image {text}, error {text} NOT NULL,
        created_on {text} NOT NULL, completed_on {text}, pusher {text} NOT NULL DEFAULT '',
        bases {text})""",
    "CREATE INDEX build_repo ON build (repo, id)",
    "CREATE INDEX build_open ON build (id) WHERE status IN ('queued', 'building')",
    "CREATE INDEX build_queue ON build (pusher, id) WHERE status = 'queued'",
    """CREATE TABLE build_line (
        build {int} NOT NULL REFERENCES build (id) ON DELETE CASCADE, seq {int} NOT NULL,
        line {text} NOT NULL, PRIMARY KEY (build, seq)){clustered}""",
    # `build` moved the label last; builds up to `forgotten` do not restore it. `ref` is the branch or tag.
    """CREATE TABLE label (
        repo {int} NOT NULL, name {text} NOT NULL, image {text}, revision {text}, build {int} NOT NULL,
        forgotten {int} NOT NULL, missing {int} NOT NULL DEFAULT 0, ref {text},
        PRIMARY KEY (repo, name)){clustered}""",
)
SPACES = (
    # `size` is the total size of the files, `seq` the last number of the journal, `start` the number before
    # its first row. A change of the content locks this row.
    """CREATE TABLE space (
        item {int} PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
        seq {int} NOT NULL, size {int} NOT NULL, entries {int} NOT NULL DEFAULT 0,
        start {int} NOT NULL DEFAULT 0){clustered}""",
    # A row without a digest is a folder. `parent` repeats a part of `path`, for listings.
    """CREATE TABLE space_entry (
        item {int} NOT NULL REFERENCES space (item) ON DELETE CASCADE, path {text} NOT NULL,
        parent {text} NOT NULL, created_on {text} NOT NULL, last_modified {text} NOT NULL,
        digest {text}, size {int}, media {text}, PRIMARY KEY (item, path)){clustered}""",
    "CREATE INDEX space_entry_parent ON space_entry (item, parent)",
    "CREATE INDEX space_entry_digest ON space_entry (digest) WHERE digest IS NOT NULL",
    # `version` is the digest of bytes that may be gone.
    """CREATE TABLE space_change (
        item {int} NOT NULL REFERENCES space (item) ON DELETE CASCADE, seq {int} NOT NULL,
        path {text} NOT NULL, deed {text} NOT NULL, version {text}, size {int}, old_path {text},
        created_on {text} NOT NULL, PRIMARY KEY (item, seq)){clustered}""",
    # The last number of former spaces with a name, which were removed or renamed.
    """CREATE TABLE space_past (
        owner {text} NOT NULL, name {text} NOT NULL, seq {int} NOT NULL,
        PRIMARY KEY (owner, name)){clustered}""",
)
MAILS = (
    # `message` is the mail as it is sent, deleted when sending ends; `state` is open, sent or failed.
    """CREATE TABLE mail_sending (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, test {bool} NOT NULL,
        state {text} NOT NULL, digest {text} NOT NULL, message {bytes}, started_on {text} NOT NULL,
        ended_on {text}, accepted {int} NOT NULL, refused {int} NOT NULL)""",
    "CREATE INDEX mail_sending_item ON mail_sending (item, id)",
    "CREATE INDEX mail_sending_open ON mail_sending (id) WHERE state = 'open'",
    # `state` is due, taken, accepted or refused; a taken one is due again after `due_on`.
    """CREATE TABLE mail_delivery (
        id {id}, sending {int} NOT NULL REFERENCES mail_sending (id) ON DELETE CASCADE,
        address {text} NOT NULL, message_id {text} NOT NULL, leave {text} NOT NULL, state {text} NOT NULL,
        tries {int} NOT NULL, due_on {text} NOT NULL)""",
    "CREATE UNIQUE INDEX mail_delivery_once ON mail_delivery (sending, address)",
    "CREATE INDEX mail_delivery_due ON mail_delivery (sending, due_on, id) WHERE state IN ('due', 'taken')",
    """CREATE TABLE mail_line (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE,
        written_on {text} NOT NULL, message {text} NOT NULL)""",
    "CREATE INDEX mail_line_item ON mail_line (item, id)",
    # Mailboxes that unsubscribed from an account's mails.
    """CREATE TABLE mail_refusal (
        owner {text} NOT NULL, address {text} NOT NULL, refused_on {text} NOT NULL,
        PRIMARY KEY (owner, address))""",
    # `state` is new, kept or started; a new one that a worker took is due again at `due_on`.
    """CREATE TABLE inbound_mail (
        id {id}, item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, group_ref {text} NOT NULL,
        address {text} NOT NULL, envelope {text} NOT NULL, digest {text} NOT NULL, size {int} NOT NULL,
        media {text} NOT NULL, received_on {text} NOT NULL, state {text} NOT NULL, note {text} NOT NULL,
        sender {text} NOT NULL, message_id {text} NOT NULL, tries {int} NOT NULL, due_on {text} NOT NULL,
        settled_on {text})""",
    "CREATE INDEX inbound_mail_item ON inbound_mail (item, state, id)",
    "CREATE INDEX inbound_mail_due ON inbound_mail (due_on, id) WHERE state = 'new'",
    "CREATE INDEX inbound_mail_old ON inbound_mail (received_on)",
    "CREATE INDEX inbound_mail_digest ON inbound_mail (digest)",
    # Only the number of a run is stored: the run may be removed before it is answered.
    """CREATE TABLE inbound_run (
        mail {int} NOT NULL REFERENCES inbound_mail (id) ON DELETE CASCADE, run {int} NOT NULL,
        answered {bool} NOT NULL, PRIMARY KEY (mail, run))""",
    "CREATE INDEX inbound_run_open ON inbound_run (run) WHERE NOT answered",
    """CREATE TABLE inbound_identity (
        item {int} NOT NULL REFERENCES item (id) ON DELETE CASCADE, sender {text} NOT NULL,
        message_id {text} NOT NULL, came_on {text} NOT NULL, PRIMARY KEY (item, sender, message_id))""",
    "CREATE INDEX inbound_identity_old ON inbound_identity (came_on)",
    # A row is deleted after the final answer on its message; a taken one is due again at `due_on`.
    """CREATE TABLE queued_message (
        id {id}, address {text} NOT NULL, message_id {text} NOT NULL, message {bytes} NOT NULL,
        tries {int} NOT NULL, due_on {text} NOT NULL)""",
    "CREATE INDEX queued_message_due ON queued_message (due_on, id)",
)
ORDERS = {
    "sqlite": {
        "changed": "last_modified, id, owner, kind, sought",
        "labelled": "label, id, owner, kind, sought",
    },
    "postgresql": {
        "changed": "last_modified, id) INCLUDE (owner, kind, sought",
        "labelled": "label, id) INCLUDE (owner, kind, sought",
    },
}
"""Columns of the indexes for the orders of searches. For common words, `sought` is read in that order."""

STATEMENTS = (*PEOPLE_AND_ITEMS, *TREE, *ACCESS, *LIMITS, *RUNS, *SPACES, *MAILS)
TABLES = tuple(one.split()[2] for one in STATEMENTS if one.startswith("CREATE TABLE"))

//! Who may do what.

use crate::harness::Home;

#[test]
fn what_is_not_granted_does_not_exist() {
    Home::new().check(
        "
        $ --agent-id alice spaces create market
        made /shared/market; `homefs grant /shared/market AGENT write` lets others in
        $ --agent-id alice -q write shared/market/a.md hello
        $ --agent-id bob cat shared/market/a.md
        error: /shared/market/a.md: …
        [1]
        $ --agent-id bob ls
        $ --agent-id alice grant shared/market bob read
        bob may now read /shared/market
        $ --agent-id bob cat shared/market/a.md
        hello
        $ --agent-id bob write shared/market/a.md mine
        error: /shared/market/a.md: …
        hint: `homefs grants PATH` shows who may do what here; --operator holds every right
        [2]
        $ --agent-id alice revoke shared/market bob
        bob has no grant at /shared/market any more
        $ --agent-id bob cat shared/market/a.md
        error: /shared/market/a.md: …
        [1]
        $ --agent-id bob grant shared/market bob write
        error: /shared/market: …
        [1]
        ",
    );
}

#[test]
fn a_group_is_granted_as_one() {
    Home::new().check(
        "
        $ -q spaces create team
        $ -q write shared/team/a.md hello
        $ group add readers bob
        error: …
        hint: `homefs grants PATH` shows who may do what here; --operator holds every right
        [2]
        $ --operator group add readers bob
        bob is now a member of readers
        $ --operator group list
        readers  bob
        $ grant shared/team group:readers read
        group:readers may now read /shared/team
        $ grants shared/team
        /shared/team  me             manage
        /shared/team  group:readers  read
        $ --agent-id bob cat shared/team/a.md
        hello
        $ --operator group remove readers bob
        bob is no longer a member of readers
        $ --agent-id bob ls shared/team
        error: /shared/team: …
        [1]
        ",
    );
}

#[test]
fn a_quota_holds() {
    Home::new().check(
        "
        $ -q spaces create small
        $ --operator spaces quota shared/small --bytes 10 --nodes 2
        set the quota of /shared/small
        $ -q write shared/small/a.md hello
        $ write shared/small/a.md 'hello, hello, hello'
        error: /shared/small/a.md: …
        hint: `homefs spaces` shows quotas, `homefs status` shows how full the disk is
        [2]
        $ spaces
        /              manage          0 B      0 nodes
        /shared/small  manage  6 B of 10 B  1 node of 2
        $ spaces create 'Bad Name'
        error: space name \"Bad Name\" is not …
        [2]
        ",
    );
}

#[test]
fn the_operator_sees_everyone() {
    Home::new().check(
        "
        $ --agent-id alice -q write a.md hello
        $ --agent-id bob -q write b.md hello
        $ --operator --agent-id bob agents
        alice
        bob
        $ --agent-id bob agents
        bob
        $ --operator --all --agent-id bob tree
        /
        ├── agents/
        │   ├── alice/
        │   │   └── a.md
        │   └── bob/
        │       └── b.md
        └── shared/
        4 directories, 2 files
        ",
    );
}

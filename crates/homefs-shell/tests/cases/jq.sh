# tree: project

### identity
jq . data/config.json

### field
jq .name data/config.json

### raw
jq -r .name data/config.json

### nested
jq .server.port data/config.json

### array
jq '.[0]' data/users.json

### names
jq -r '.[].name' data/users.json

### length
jq length data/users.json

### select
jq '.[] | select(.age > 28) | .name' data/users.json

### map
jq -c 'map(.age)' data/users.json

### compact
jq -c '.[]' data/users.json

### keys
jq -c keys data/config.json

### object
jq -c '.[] | {name, age}' data/users.json

### string interpolation
jq -r '.[] | "\(.name) is \(.age)"' data/users.json

### sum
jq '[.[].age] | add' data/users.json

### sort by
jq -r 'sort_by(.age)[].name' data/users.json

### group by
jq -c 'group_by(.tags | length) | map(length)' data/users.json

### tsv
jq -r '.[] | [.id, .name] | @tsv' data/users.json

### csv
jq -r '.[] | [.id, .name] | @csv' data/users.json

### lines
jq -c 'select(.t > 1)' data/events.jsonl

### slurp
jq -s length data/events.jsonl

### stdin
echo '{"a":1}' | jq .a

### arguments
jq --arg n Bob '.[] | select(.name == $n) | .id' data/users.json

### json argument
jq --argjson n 2 '.[] | select(.id == $n) | .name' data/users.json

### null input
jq -n '{a: 1, b: [2]}'

### exit status
jq -e .nothing data/config.json; echo $?

### missing field
jq .nope data/config.json

### default
jq '.nope // "x"' data/config.json

### update
jq -c '.server.port = 9090' data/config.json

### delete
jq -c 'del(.server)' data/config.json

### to entries
jq -r 'to_entries[] | "\(.key)=\(.value)"' data/config.json

### contains
jq -r '.[] | select(.tags | contains(["dev"])) | .name' data/users.json

### any
jq 'any(.[]; .age > 30)' data/users.json

### bad json
echo '{' | jq . 2>/dev/null; echo $?

### bad filter
jq '.[' data/users.json 2>/dev/null; echo $?

### join
jq -r '.[0].tags | join(",")' data/users.json

### sort keys
jq -S -c . data/config.json

### tab
jq --tab .server data/config.json

### first last
jq -c '[first, last] | map(.id)' data/users.json

### test regex
jq -r '.[] | select(.name | test("^[AC]")) | .name' data/users.json

### if
jq -r '.[] | if .age > 28 then "old" else "young" end' data/users.json

### reduce
jq 'reduce .[] as $u (0; . + $u.age)' data/users.json

### unique
jq -c '[.[].tags[]] | unique' data/users.json

### number formats
jq -c '[1.0, 1.5, 1e3, 100000000000]' <<< 0

### paths
jq -c '[paths] | length' data/config.json

### type
jq -r '.[] | type' data/config.json

### split
jq -c '"a,b" | split(",")' <<< 0

### ascii
jq -r '.name | ascii_upcase' data/config.json

### limit
jq -c '[limit(2; .[])] | length' data/users.json

### try
jq -c '[.[] | try error("x") catch .]' <<< '[1]'

### names of functions
jq -n -c '["map/1", "INDEX/2", "none/0", "builtins/0"] | map(. as $name | builtins | index($name) != null)'; jq -n 'builtins | length > 150'

### rows beside others
jq -nc '{"1": {"name": "a"}, "2": {"name": "b"}} as $by | [{"id": 2}, {"id": 9}] | JOIN($by; .id | tostring), [JOIN($by; .[]; .id | tostring)], [JOIN($by; .[]; .id | tostring; add)]'

### a program of a file has all definitions
printf '# rows by name\nINDEX(.name) | del(.b)' > by.jq; echo '[{"name":"a","x":1},{"name":"b","x":2}]' > rows.json
jq -c -f by.jq rows.json; jq -cf by.jq < rows.json; jq -c --from-file by.jq rows.json; cat by.jq; sort by.jq | head -1

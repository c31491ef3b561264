//! `jq` forgets the order of keys in `del`, and some of jq's own definitions are missing: programs
//! that name them get them.

/// What programs with a word get before them.
const DEFINITIONS: &[(&str, &str)] = &[
    ("del", DELETE),
    ("INDEX", INDEX),
    ("JOIN", JOIN),
    ("builtins", BUILTINS),
    ("toarray", "def toarray: if type == \"array\" then . else [.] end; "),
    ("ascii", "def ascii: [.] | implode; "),
];

/// Makes an object of rows, as jq defines it.
const INDEX: &str = "def INDEX(rows; key): reduce rows as $row ({}; .[$row | key | tostring] = $row); \
    def INDEX(key): INDEX(.[]; key); ";

/// Puts rows beside those of an object, as jq defines it.
const JOIN: &str = "def JOIN($rows; key): [.[] | [., $rows[key]]]; \
    def JOIN($rows; stream; key): stream | [., $rows[key]]; \
    def JOIN($rows; stream; key; f): stream | [., $rows[key]] | f; ";

/// Deletes as jq does: what is left of an object stays in its order.
const DELETE: &str = "def __del($p): if ($p|length)==0 then null \
    elif ($p|length)==1 then $p[0] as $k | (if type==\"object\" \
    then with_entries(select(.key != $k)) elif type==\"array\" and ($k|type)==\"number\" \
    then (if $k<0 then $k+length else $k end) as $i | .[:$i] + .[$i+1:] \
    else delpaths([$p]) end) elif getpath([$p[0]]) == null then . \
    else .[$p[0]] |= __del($p[1:]) end; \
    def delpaths($ps): reduce ($ps|sort|reverse|.[]) as $p (.; __del($p)); \
    def del(f): delpaths([path(f)]); ";

/// Lists functions and how many arguments each has: those of jq 1.6 that there are.
const BUILTINS: &str = "def builtins: \"IN/1 IN/2 INDEX/1 INDEX/2 JOIN/2 JOIN/3 JOIN/4 acos/0 acosh/0 add/0 all/0 all/1 all/2 \
    any/0 any/1 any/2 arrays/0 ascii_downcase/0 ascii_upcase/0 asin/0 asinh/0 atan/0 \
    atan2/2 atanh/0 booleans/0 bsearch/1 builtins/0 capture/1 capture/2 cbrt/0 ceil/0 \
    combinations/0 combinations/1 contains/1 copysign/2 cos/0 cosh/0 debug/0 del/1 \
    delpaths/1 drem/2 empty/0 endswith/1 env/0 erf/0 erfc/0 error/0 error/1 exp/0 exp10/0 \
    exp2/0 explode/0 expm1/0 fabs/0 fdim/2 finites/0 first/0 first/1 flatten/0 flatten/1 \
    floor/0 fma/3 fmax/2 fmin/2 fmod/2 frexp/0 from_entries/0 fromdate/0 fromdateiso8601/0 \
    fromjson/0 fromstream/1 gamma/0 getpath/1 gmtime/0 group_by/1 gsub/2 gsub/3 halt/0 \
    halt_error/0 halt_error/1 has/1 hypot/2 implode/0 in/1 index/1 indices/1 infinite/0 \
    input/0 input_filename/0 input_line_number/0 inputs/0 inside/1 isempty/1 isfinite/0 \
    isinfinite/0 isnan/0 isnormal/0 iterables/0 j0/0 j1/0 jn/2 join/1 keys/0 \
    keys_unsorted/0 last/0 last/1 ldexp/2 leaf_paths/0 length/0 lgamma/0 limit/2 \
    localtime/0 log/0 log10/0 log1p/0 log2/0 logb/0 ltrimstr/1 map/1 map_values/1 match/1 \
    match/2 max/0 max_by/1 min/0 min_by/1 mktime/0 modf/0 nan/0 nearbyint/0 nextafter/2 \
    nexttoward/2 normals/0 not/0 now/0 nth/1 nth/2 nulls/0 numbers/0 objects/0 path/1 \
    paths/0 paths/1 pow/2 pow10/0 range/1 range/2 range/3 recurse/0 recurse/1 recurse/2 \
    remainder/2 repeat/1 reverse/0 rindex/1 rint/0 round/0 rtrimstr/1 scalars/0 scalb/2 \
    scalbln/2 scan/1 select/1 setpath/2 significand/0 sin/0 sinh/0 sort/0 sort_by/1 \
    split/1 split/2 splits/1 splits/2 sqrt/0 startswith/1 stderr/0 strflocaltime/1 \
    strftime/1 strings/0 strptime/1 sub/2 sub/3 tan/0 tanh/0 test/1 test/2 tgamma/0 \
    to_entries/0 todate/0 todateiso8601/0 tojson/0 tonumber/0 tostream/0 tostring/0 \
    transpose/0 trunc/0 truncate_stream/1 type/0 unique/0 unique_by/1 until/2 \
    utf8bytelength/0 values/0 walk/1 while/2 with_entries/1 y0/0 y1/0 yn/2\" | split(\" \"); ";

/// Returns a program with the definitions that it needs, if it needs any.
pub(crate) fn completed(program: &str) -> Option<String> {
    let needed = DEFINITIONS.iter().filter(|(word, _)| program.contains(word));
    let definitions: String = needed.map(|(_, definition)| *definition).collect();
    (!definitions.is_empty()).then(|| definitions + program)
}

/// Returns which argument is the program, if one is, and which names the file that has it.
pub(crate) fn place(args: &[String]) -> (Option<usize>, Option<&str>) {
    let mut file = None;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let is_letters = arg.starts_with('-') && !arg.starts_with("--");
        at += match arg.as_str() {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => 3,
            "--indent" | "-L" => 2,
            letters if letters == "--from-file" || is_letters && letters.ends_with('f') => {
                file = args.get(at + 1).map(String::as_str);
                2
            }
            option if option.starts_with('-') && option.len() > 1 => {
                file = option.strip_prefix("--from-file=").or(file);
                1
            }
            _ if file.is_none() => return (Some(at), None),
            _ => 1,
        };
    }
    (None, file)
}

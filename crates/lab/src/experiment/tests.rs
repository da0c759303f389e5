use super::*;
use arqway_link::ServiceConfig;
use arqway_link::selective_repeat::{Policy, Timeout};
use arqway_units::Span;

fn experiment(text: &str) -> Result<Experiment, Mistakes> {
    Experiment::read(&Source::new("study.toml", text), Path::new(""), Effort::Full)
}

const STUDY: &str = r#"
[experiment]
id = "study"

[scenario]
base = "monet08"
set = { "media.enabled" = true, "wireless.errors" = { kind = "uniform", loss = "0 %" } }

[sweep]
"wireless.errors.loss" = ["0 %", "5.4 %"]

[[scheme]]
use = "sr:0.9"

[[scheme]]
label = "Withdrawing"
service = { kind = "selective-repeat", drop-stale-copies = true }

[[figure]]
id = "throughput"
y = "file-transfer.throughput"
"#;

#[test]
fn each_point_is_the_base_with_what_is_set_and_what_is_swept() {
    let study = experiment(STUDY).expect("no mistakes");
    let values: Vec<f64> = study.points.iter().map(|point| point.value).collect();
    assert_eq!(values, [0.0, 5.4]);
    assert!(study.points.iter().all(|point| point.scenario.media.enabled));
}

#[test]
fn a_scheme_changes_only_what_it_names_of_the_worlds_service() {
    let study = experiment(STUDY).expect("no mistakes");
    let [short, long] = [0, 1].map(|scheme| match &study.schemes[scheme].services[0] {
        ServiceConfig::SelectiveRepeat(config) => config.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!((short.timeout, short.drop_stale_copies), (Timeout::Fixed(Span::from_milliseconds(900)), false));
    assert_eq!((long.timeout, long.drop_stale_copies), (Timeout::Fixed(Span::from_milliseconds(1100)), true));
    assert_eq!(short.timer_starts, long.timer_starts);
}

#[test]
fn the_service_of_a_class_is_the_worlds_too() {
    let text = STUDY.replace(
        "\"media.enabled\" = true,",
        "\"link-layer.classes\" = [{ protocol = \"udp\", service = \"selective-repeat\" }],",
    );
    let study = experiment(&text).expect("no mistakes");
    let Some(ServiceConfig::SelectiveRepeat(config)) = study.points[0].scenario.link_layer.classes[0].service() else {
        panic!("the class is carried by Selective Repeat")
    };
    assert!(!config.drop_stale_copies, "monet08 keeps stale copies");
}

#[test]
fn a_class_that_cannot_be_is_told_where_it_stands_with_what_is_expected() {
    let told = |classes: &str| {
        let text = STUDY.replace("\"media.enabled\" = true,", &format!("\"link-layer.classes\" = [{classes}],"));
        experiment(&text).expect_err("a slip").to_string()
    };
    let error = told("{ protocol = \"udp\", service = \"raw\", name = \"voice\" }, { ds = \"ef\", with = \"vioce\" }");
    assert!(
        error.contains("no class called `vioce` has a service of its own; expected one of `default`, `voice`"),
        "{error}"
    );
    assert!(error.contains("{ ds = \"ef\", with = \"vioce\" }"), "{error}");
    let error = told("{ service = \"raw\" }");
    assert!(error.contains("a class that matches all packets; expected one or more of protocol"), "{error}");
    let error = told("{ protocol = \"udp\", service = \"raw\", rate = \"20 %\" }");
    assert!(error.contains("expected `scheduler = \"scfq\"`"), "{error}");
    assert!(error.starts_with("study.toml:7:77: "), "the rate itself: {error}");
}

#[test]
fn rates_of_a_table_that_nobody_keeps_are_told_where_the_table_gives_them() {
    let table = "\"link-layer.table\" = { kind = \"differentiated-services\", reliable = \"rlp\", \
                 allocations = [{ ds = \"af11\", rate = \"1 kbit/s\" }] },";
    let error = experiment(&STUDY.replace("\"media.enabled\" = true,", table)).expect_err("a slip").to_string();
    assert!(error.starts_with("study.toml:7:"), "not the classes of the base: {error}");
    assert!(error.contains("expected `scheduler = \"scfq\"`"), "{error}");
}

#[test]
fn schemes_may_differ_in_who_carries_a_class_alone_if_each_has_a_variant() {
    let class = "\"link-layer.classes\" = [{ name = \"voice\", protocol = \"udp\", service = \"raw\" }],";
    let schemes = "use = \"sr:0.9\"\nvariant = \"voice=rlp\"\nclasses = { voice = \"rlp:1\" }\n\n[[scheme]]\n\
                   use = \"sr:0.9\"\nclasses = { voice = \"xor-fec:12\" }";
    let text = STUDY.replace("\"media.enabled\" = true,", class).replacen("use = \"sr:0.9\"", schemes, 1);
    let study = experiment(&text).unwrap_or_else(|told| panic!("{told}"));
    let names: Vec<String> = study.schemes.iter().map(Scheme::full_name).collect();
    assert_eq!(names, ["sr:0.9 voice=rlp", "sr:0.9", "Withdrawing"]);
    assert_eq!(study.schemes[0].label, "SR 0.9 s (voice rlp, voice: RLP 1)");
}

#[test]
fn a_swept_path_without_quotes_is_told_to_want_them() {
    let error =
        experiment(&STUDY.replace("\"wireless.errors.loss\" = [", "wireless.errors.loss = [")).expect_err("a slip");
    let error = error.to_string();
    assert!(
        error.starts_with("study.toml:10:1: ") && error.contains("expected \"wireless.errors.loss\" = ["),
        "{error}"
    );
}

#[test]
fn a_point_may_be_named_where_its_value_is_no_number() {
    let text = STUDY.replace(
        "\"wireless.errors.loss\" = [\"0 %\", \"5.4 %\"]",
        "\"wireless.errors\" = [{ point = 0, value = \"none\" }, { point = 5.4, value = { kind = \"two-state\", bad = \"0.5 s\" } }]",
    );
    let study = experiment(&text).expect("no mistakes");
    let points: Vec<_> =
        study.points.iter().map(|point| (point.value, point.scenario.wireless.errors.name())).collect();
    assert_eq!((points, study.errors), (vec![(0.0, "none"), (5.4, "two-state")], "two-state"));
    let error = experiment(&text.replace("point = 5.4, value", "point = 5.4, valeu")).expect_err("a slip");
    assert!(error.to_string().contains("did you mean `value`?"), "{error}");
}

#[test]
fn a_timeout_is_a_length_of_time_or_a_policy() {
    let with = |timeout: &str| {
        let text = STUDY.replace("drop-stale-copies = true", &format!("timeout = {timeout}"));
        experiment(&text).map(|study| match &study.schemes[1].services[0] {
            ServiceConfig::SelectiveRepeat(config) => config.timeout,
            other => panic!("{other:?}"),
        })
    };
    let policy = Timeout::Adaptive(Policy { srtt: 3.0, srttvar: 2.0 });
    assert_eq!(with("{ kind = \"adaptive\", srtt = 3, srttvar = 2 }").expect("a policy"), policy);
    assert_eq!(with("\"0.7 s\"").expect("a length"), Timeout::Fixed(Span::from_milliseconds(700)));
    for (wrong, right) in [
        ("{ kind = \"adaptive\", srt = 3, srttvar = 2 }", "did you mean `srtt`?"),
        ("{ kind = \"adaptive\", srtt = -3, srttvar = 2 }", "expected a number from 0 to 1000, found -3"),
        ("\"0 s\"", "this must be 1 us or more"),
        ("\"3 kbit/s\"", "unknown unit `kbit/s` for a length of time"),
    ] {
        let error = with(wrong).expect_err(wrong).to_string();
        assert!(error.contains(right) && error.starts_with("study.toml:17:"), "{error}");
    }
}

#[test]
fn an_axis_says_the_unit_of_what_is_swept() {
    let label = |sweep: &str| {
        let text = STUDY.replace("\"wireless.errors.loss\" = [\"0 %\", \"5.4 %\"]", sweep);
        experiment(&text).expect("no mistakes").figures[0].x_label.clone()
    };
    assert_eq!(label("\"wireless.errors.loss\" = [\"1 %\"]"), "Frame loss rate (%)");
    assert_eq!(label("\"wireless.delay\" = [\"50 ms\"]"), "Wireless: delay (s)");
    assert_eq!(label("\"wireless.rate\" = [\"64 kbit/s\"]"), "Wireless: rate (bit/s)");
    assert_eq!(label("\"file-transfer.packet\" = [\"250 octets\"]"), "File transfer: packet (octets)");
    assert_eq!(label("\"services.selective-repeat.window\" = [1, 2]"), "Selective repeat: window");
}

#[test]
fn a_quick_look_is_what_the_world_says_it_is() {
    let quick = Experiment::read(&Source::new("study.toml", STUDY), Path::new(""), Effort::Quick).expect("no mistakes");
    let full = experiment(STUDY).expect("no mistakes");
    assert_eq!((quick.replications, full.replications), (6, 30));
    assert!(quick.points[0].scenario.file_transfer.size < full.points[0].scenario.file_transfer.size);
}

#[test]
fn all_mistakes_are_told_at_once_each_with_its_place_and_what_is_expected() {
    let error = experiment(
        r#"[experiment]
id = "study"
replicatoins = 3

[scenario]
base = "monet80"
set = { "media.enabeld" = true, "wireless.rate" = "64 kHz" }

[sweep]
"services.selective-repeat.window" = [1, 129]

[[scheme]]
use = "sr:fast"

[[scheme]]
service = { kind = "selctive-repeat" }

[[figure]]
id = "throughput"
x = "window"
y = "file-transfer.througput"
"#,
    )
    .expect_err("nine mistakes");
    insta::assert_snapshot!(error.to_string());
}

#[test]
fn a_packet_that_no_ip_host_can_send_and_a_timer_that_never_stops_are_refused() {
    let error = experiment(
        r#"[experiment]
id = "study"
[scenario.set]
"file-transfer.packet" = "12 octets"
"tcp.tick" = "0 s"
"services.selective-repeat.timeout" = "0 ms"
"wireless.queue" = { kind = "drop-tail", packets = 0 }
"wireless.errors" = { kind = "uniform", loss = "140 %" }
[[scheme]]
use = "raw"
"#,
    )
    .expect_err("five mistakes");
    insta::assert_snapshot!(error.to_string());
}

#[test]
fn a_second_scheme_point_or_figure_of_the_same_name_is_refused() {
    let twice = STUDY.replace("[\"0 %\", \"5.4 %\"]", "[\"0 %\", \"0.0 %\"]");
    let figure = "[[figure]]\nid = \"throughput\"\ny = \"media.delay\"\n";
    let error = experiment(&format!("{twice}[[scheme]]\nuse = \"sr:0.9\"\n{figure}")).expect_err("three mistakes");
    let told: Vec<&str> = error.iter().map(|mistake| mistake.message.as_str()).collect();
    let expected =
        ["a second point at 0", "a scheme named `sr:0.9` exists already", "a figure named `throughput` exists already"];
    assert_eq!(told, expected);
}

#[test]
fn a_name_that_would_lead_out_of_the_output_folder_is_refused() {
    let study = STUDY.replace("id = \"study\"", "id = \"a/b\"").replace("\"throughput\"", "\"../throughput\"");
    assert_eq!(experiment(&study).expect_err("two mistakes").len(), 2);
}

#[test]
fn setting_one_thing_of_a_table_leaves_the_rest_of_it() {
    let set = |set: &str| {
        let study = STUDY.replace("\"media.enabled\" = true", set);
        experiment(&study).expect("no mistakes").points[0].scenario.clone()
    };
    let quoted = set("\"wireless.rate\" = \"128 kbit/s\"");
    assert_eq!(set("wireless.rate = \"128 kbit/s\""), quoted);
    assert_eq!(set("wireless = { rate = \"128 kbit/s\" }"), quoted);
}

#[test]
fn a_variant_lays_its_settings_over_the_worlds_service() {
    let variant = "use = \"sr:0.9\"\n\n[[scheme]]\nuse = \"sr:0.9\"\nvariant = \"nack=single\"\n\
                   set = { rejects = \"one-at-a-time\", \"estimator.floor\" = \"0.1 s\" }";
    let study = experiment(&STUDY.replacen("use = \"sr:0.9\"", variant, 1)).unwrap_or_else(|told| panic!("{told}"));
    let [plain, changed] = [0, 1].map(|scheme| match &study.schemes[scheme].services[1] {
        ServiceConfig::SelectiveRepeat(config) => config.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!((plain.timeout, plain.window), (changed.timeout, changed.window));
    assert_ne!(plain.rejects, changed.rejects);
    assert_ne!(plain.estimator.floor, changed.estimator.floor);
    assert_eq!(plain.estimator.smoothing.arithmetic, changed.estimator.smoothing.arithmetic, "the world's");
    let labels: Vec<&str> = study.schemes.iter().map(|scheme| scheme.label.as_str()).collect();
    assert_eq!(labels, ["SR 0.9 s", "SR 0.9 s (one frame rejected at a time)", "Withdrawing"]);
}

#[test]
fn a_mistake_in_a_variant_is_told_with_its_place() {
    let told = |scheme: &str| {
        let text = STUDY.replacen("use = \"sr:0.9\"", scheme, 1);
        experiment(&text).expect_err(scheme).to_string()
    };
    let unknown = told("use = \"sr:0.9\"\nvariant = \"x\"\nset = { rejcets = \"each-once\" }");
    assert!(unknown.starts_with("study.toml:15:9: ") && unknown.contains("did you mean `rejects`?"), "{unknown}");
    let ignored = told("use = \"sr:0.9\"\nvariant = \"x\"\nset = { timeout = \"2 s\" }");
    assert!(ignored.starts_with("study.toml:15:9: `sr:0.9` already sets the timeout"), "{ignored}");
    let nameless = told("use = \"sr:0.9\"\nset = { rejects = \"each-once\" }");
    assert!(nameless.starts_with("study.toml:14:1: ") && nameless.contains("needs a `variant`"), "{nameless}");
    assert!(told("use = \"sr:0.9\"\nvariant = \"x\"").contains("needs a name and a change"));
    assert!(
        told("label = \"L\"\nservice = \"raw\"\nset = { buffer = 3 }").contains("`set` cannot stand beside `service`")
    );
}

#[test]
fn a_mark_takes_the_colour_of_the_scheme_it_names_and_variants_are_told_apart() {
    let variant =
        "[[scheme]]\nuse = \"sr:0.9\"\nvariant = \"single\"\nset = { rejects = \"one-at-a-time\" }\n\n[[scheme]]";
    let curve = |scheme: &str| {
        let mark = format!("marks = [{{ x = 1, label = \"bound\", scheme = \"{scheme}\" }}]\n");
        let study = experiment(&format!("{}{mark}", STUDY.replacen("[[scheme]]", variant, 1)));
        study.map(|study| study.figures[0].marks[0].curve)
    };
    assert_eq!(curve("sr:0.9").expect("no mistakes"), Some(1), "the plain one, though it stands second");
    assert_eq!(curve("sr:0.9 single").expect("no mistakes"), Some(0));
    let told = curve("sr:0.8").expect_err("no such scheme").to_string();
    assert!(told.contains("no scheme is called `sr:0.8`"), "{told}");
}

#[test]
fn what_rows_tell_in_a_column_needs_no_variant() {
    let more = "use = \"sr:0.9\"\n\n[[scheme]]\nuse = \"sr:0.9\"\nworld = { \"file-transfer.connections\" = 5 }";
    let text = STUDY.replacen("use = \"sr:0.9\"", more, 1);
    let study = experiment(&text).unwrap_or_else(|told| panic!("{told}"));
    let [one, five] = [0, 1].map(|scheme| &study.schemes[scheme]);
    assert_eq!((one.full_name().as_str(), five.full_name().as_str()), ("sr:0.9", "sr:0.9 connections=5"));
    assert_eq!((five.variant.as_str(), five.label.as_str()), ("", "SR 0.9 s (5 connections)"));
    let connections = |scheme: &Scheme| {
        let scenario = scheme.scenario(0, &study.points[0]).expect("a point");
        scenario.file_transfer.connections.get()
    };
    assert_eq!((connections(one), connections(five)), (1, 5));
    let also = text
        .replace("\"file-transfer.connections\" = 5", "\"file-transfer.connections\" = 5, \"wired.delay\" = \"5 ms\"");
    assert!(experiment(&also).expect_err("no name").to_string().contains("needs a `variant`"));
}

#[test]
fn a_series_is_drawn_of_one_point_alone() {
    let study = STUDY.replace("y = \"file-transfer.throughput\"", "y = \"tcp-bulk.window\"");
    let told = experiment(&study).expect_err("two points").to_string();
    assert!(
        told.contains("`tcp-bulk.window` is a time series, and cannot be drawn over a sweep of 2 points"),
        "{told}"
    );
    let one = study.replace("[\"0 %\", \"5.4 %\"]", "[\"5.4 %\"]");
    let needs = |study: &str| experiment(study).expect_err("a setting is missing").to_string();
    assert!(needs(&one).contains("it needs tcp-bulk.enabled = true in the scenario"), "{}", needs(&one));
    let one = one.replace("\"media.enabled\" = true", "\"tcp-bulk.enabled\" = true");
    assert!(needs(&one).contains("it needs tcp-bulk.samples = { from = "), "{}", needs(&one));
    let samples =
        "\"tcp-bulk.samples\" = { from = \"0 s\", until = \"10 s\", every = \"0.1 s\" }, \"tcp-bulk.enabled\"";
    let one = one.replace("\"tcp-bulk.enabled\"", samples);
    assert_eq!(experiment(&one).expect("no mistakes").figures[0].x_label, "Time (s)");
}

/// A world with a class that a scheme may name.
const CLASSES: &str = "[experiment]\nid = \"x\"\n[scenario]\nset = { \"link-layer.scheduler\" = \"scfq\", \"link-layer.classes\" = \
                       [{ name = \"media\", ds = \"ef\", with = \"default\", rate = \"8 kbit/s\" }] }\n[[scheme]]\nuse = \"sr\"\n";

#[test]
fn a_scheme_gives_a_class_of_its_world_a_service_of_its_own() {
    let study = experiment(&format!("{CLASSES}\n[[scheme]]\nuse = \"raw\"\nclasses = {{ media = \"oos-rlp:1\" }}\n"))
        .unwrap_or_else(|told| panic!("{told}"));
    let services = |scheme: usize| {
        let scenario = study.schemes[scheme].scenario(0, &study.points[0]).expect("one point");
        scenario.link_layer.services().iter().map(|service| service.kind()).collect::<Vec<_>>()
    };
    assert_eq!(services(0), ["selective-repeat"], "the class travels with all others");
    assert_eq!(services(1), ["raw", "rlp"]);
    let labels: Vec<&str> = study.schemes.iter().map(|scheme| scheme.label.as_str()).collect();
    assert_eq!(labels, ["SR", "Raw Link (media: OOS RLP 1)"]);
}

#[test]
fn a_mistake_in_the_classes_of_a_scheme_is_told_with_its_place() {
    let told = |classes: &str| experiment(&format!("{CLASSES}classes = {classes}\n")).expect_err(classes).to_string();
    let unknown = told("{ medai = \"raw\" }");
    assert!(unknown.starts_with("study.toml:7:13: `medai` is not a class of this scenario"), "{unknown}");
    assert!(unknown.contains("did you mean `media`?"), "{unknown}");
    let service = told("{ media = \"oos-rpl:1\" }");
    assert!(service.starts_with("study.toml:7:21: `oos-rpl:1` is not a scheme"), "{service}");
    let table = told("\"raw\"");
    assert!(table.contains("`classes` must be a table") && table.contains("such as { media"), "{table}");
}

#[test]
fn a_reservation_along_a_path_with_a_forwarding_node_is_refused() {
    let set = "\"media.enabled\" = true,";
    let both = format!("{set} \"forwarding-node.enabled\" = true, \"reservation.enabled\" = true,");
    let error = experiment(&STUDY.replace(set, &both)).expect_err("no station there").to_string();
    assert!(error.contains("a reservation along a path with a forwarding node; expected one without"), "{error}");
    let alone = format!("{set} \"reservation.enabled\" = true,");
    experiment(&STUDY.replace(set, &alone)).expect("a path of two links");
}

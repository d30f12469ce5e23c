import Flare
import JSON
import Profiles
import Testing

/// What a file means, and the sentences for what is wrong in it.
struct ProfileReadingTests {
    // MARK: The top

    @Test(arguments: [
        #"{"devices":[{"class":"AylaDevice","oemModel":"m"}]}"#,
        #"{"class":"AylaDevice","oemModel":"m"}"#,
        #"[{"class":"AylaDevice","oemModel":"m"}]"#,
    ])
    func `a file is a configuration, a device type, or a list of them`(text: String) {
        let reading = ProfileReading(json: text)
        #expect(reading.problems.isEmpty)
        #expect(reading.own.map(\.name) == ["m"])
    }

    @Test(arguments: ["1", "\"m\"", "null"])
    func `anything else is refused`(text: String) {
        #expect(
            ProfileReading(json: text).sentences == [
                "error wrong_type: the file must be an object or a list of device types (is \(text))"
            ]
        )
    }

    @Test func `in YAML a class is not needed`() {
        let position = SourcePosition(line: 1, column: 1)
        let name = PlacedValue.Member(
            key: "oemModel",
            keyPosition: position,
            value: PlacedValue(.string("m"), at: position)
        )
        let source = ProfileSource(
            file: "f.yaml",
            tree: PlacedValue(.object([name]), at: position),
            problems: []
        )
        #expect(ProfileReading(of: [source]).problems.isEmpty)
        #expect(ProfileReading(json: #"{"oemModel":"m"}"#).places == ["1:1 missing_field"])
    }

    @Test func `the version may be a number and stays as it is written`() {
        let library = ProfileReading(json: #"{"version":1.0,"name":"A","applicationIdentifier":"b"}"#).library
        #expect(library.application.version == "1.0")
        #expect(library.application.name == "A")
        #expect(library.application.identifier == "b")
    }

    @Test func `after bad JSON nothing else is checked`() throws {
        let reading = ProfileReading(json: "{\"devices\": 1 \"x\": 2]")
        #expect(reading.places == ["1:14 missing_comma", "1:21 bad_json"])
        let summary = try #require(reading.files.first)
        #expect((summary.types, summary.errors, summary.warnings) == (0, 1, 1))
    }

    // MARK: Sentences

    @Test(arguments: [
        (#"{"class":"AylaDevice"}"#, #"error missing_field: the file has no "oemModel""#),
        (
            property(#""control":"switch""#),
            #"error missing_field: managedProperties[0] has no "name""#
        ),
        (property(#""name":7"#), "error wrong_type: managedProperties[0].name must be a text (is 7)"),
        (
            property(#""name":"2x""#),
            #"error invalid_value: managedProperties[0].name must be a letter, then up to 63 letters, digits, - or _ (is "2x")"#
        ),
        (
            property(#""name":"a","control":"sldier""#),
            #"error unknown_control: managedProperties[0].control: no control "sldier"; did you mean "slider"?"#
        ),
        (
            property(#""name":"a","control":"thermostat""#),
            #"error invalid_value: managedProperties[0].control must be a control for properties; this one is for whole things (deviceControl) (is "thermostat")"#
        ),
        (
            property(#""name":"a","min":5,"max":5"#),
            "error out_of_range: managedProperties[0].min must be less than max, which is 5 (is 5)"
        ),
        (
            property(#""name":"a","control":"slider","max":-1"#),
            "error out_of_range: managedProperties[0].max must be more than min, which is 0 (is -1)"
        ),
        (
            property(#""name":"a","step":0"#),
            "error out_of_range: managedProperties[0].step must be at least 0.001 (is 0)"
        ),
        (
            property(#""name":"a","roles":["b",1]"#),
            "error wrong_type: managedProperties[0].roles[1] must be a text (is 1)"
        ),
        (
            property(#""name":"a","actions":[{"name":"","value":1}]"#),
            #"error invalid_value: managedProperties[0].actions[0].name must be a text of 1 to 100 characters (is "")"#
        ),
        (
            property(#""name":"a","actions":[{"name":"b","value":null}]"#),
            "error wrong_type: managedProperties[0].actions[0].value must be a boolean, a number or a text (is null)"
        ),
        (
            property(
                #""name":"a","actions":[{"name":"b","value":1.5},{"name":"c","value":2},{"name":"d","value":true}]"#
            ),
            "error wrong_type: managedProperties[0].actions[2].value must be a number like the value of the first action (is true)"
        ),
        (
            property(#""name":"a","roless":[]"#),
            #"warning unknown_key: managedProperties[0] has an unknown member "roless"; it is kept; did you mean "roles"?"#
        ),
        (
            deviceType(#""deviceControl":"thermostat""#),
            #"warning missing_role: deviceControl: no property has the role "temperature_setpoint"; the generic control is used"#
        ),
        (
            deviceType(#""deviceControl":"cover""#),
            #"warning missing_role: deviceControl: no property has the role "cover_position"; the generic control is used"#
        ),
        (
            deviceType(#""deviceControl":"light""#),
            #"warning missing_role: deviceControl: no property has the role "on_off"; the generic control is used"#
        ),
        (
            deviceType(#""icon":"../../etc/passwd""#),
            #"error invalid_value: icon must be mdi:… or the name of a picture, without a folder above it (is "../../etc/passwd")"#
        ),
        (
            deviceType(#""icon":"/etc/x.svg""#),
            #"error invalid_value: icon must be mdi:… or the name of a picture, without a folder above it (is "/etc/x.svg")"#
        ),
        (
            #"{"class":"../Evil","oemModel":"m"}"#,
            #"error invalid_value: class must be a class: behind its last dot up to 64 letters, digits or _, with no digit first (is "../Evil")"#
        ),
        (
            #"{"class":"org.example.AylaDevise","oemModel":"m"}"#,
            #"warning unknown_class: class: no class "AylaDevise"; the generic one is used; did you mean "AylaDevice"?"#
        ),
        (
            #"{"sdkConfig":{"serviceLocation":"Erope"}}"#,
            #"error invalid_value: sdkConfig.serviceLocation must be one of USA, China, Europe (is "Erope"); did you mean "Europe"?"#
        ),
        (
            #"{"sdkConfig":{"appSecret":5}}"#,
            "error wrong_type: sdkConfig.appSecret must be a text (is ***)"
        ),
        (
            #"{"sdkConfig":{"defaultNetworkTimeoutMs":500.5}}"#,
            "error invalid_value: sdkConfig.defaultNetworkTimeoutMs must be a whole number (is 500.5)"
        ),
        (
            #"{"strings":{"de":{"a b":1}}}"#,
            #"error wrong_type: strings.de["a b"] must be a text (is 1)"#
        ),
        (
            #"{"strings":{"d/e":{}}}"#,
            #"error invalid_value: strings must have languages such as de or en-GB as its keys (has "d/e")"#
        ),
        (
            #"{"packages":[],"packages":[]}"#,
            #"error duplicate: packages: "packages" stands again (first in f.json:1)"#
        ),
        (
            #"{"strings":{"de":{"a":"x","a":"y"}}}"#,
            #"error duplicate: strings.de.a: "a" stands again (first in f.json:1)"#
        ),
    ])
    func `a problem says what is wrong and what is legal`(text: String, sentence: String) {
        #expect(ProfileReading(json: text).sentences == [sentence])
    }

    // MARK: Properties

    @Test(arguments: [
        (#""name":"a","control":"slider""#, 0, 100), (#""name":"a","control":"dimmer","max":254"#, 0, 254),
        (#""name":"brightness","control":"slider""#, 0, 1), (#""name":"brightness""#, 0, 1),
        (#""name":"a","control":"decimal_input","min":5,"max":35"#, 5, 35),
    ])
    func `a slider has a range without saying so`(members: String, low: Double, high: Double) throws {
        let profile = try #require(ProfileReading(json: property(members)).own.first)
        let property = try #require(profile.properties.first)
        #expect(property.minimum == low)
        #expect(property.maximum == high)
    }

    @Test func `all members of a property are read`() throws {
        let members =
            #""name":"a","control":"integer_input","notify":true,"schedule":true,"optional":true,"#
            + #""roles":["x"],"min":1,"max":9,"step":2,"unit":"W","actions":[{"name":"b","value":3}]"#
        var expected = ProfileProperty(name: "a")
        (expected.control, expected.controlName) = (.integerInput, "integer_input")
        (expected.notifies, expected.isScheduled, expected.isOptional) = (true, true, true)
        (expected.minimum, expected.maximum, expected.step, expected.unit) = (1, 9, 2, "W")
        expected.roles = ["x"]
        expected.actions = [ProfileAction(name: "b", value: 3)]
        let reading = ProfileReading(json: property(members))
        #expect(reading.problems.isEmpty)
        #expect(reading.own.first?.properties == [expected])
    }

    // MARK: Several files

    @Test func `the later text wins and the tables are joined`() {
        let reading = ProfileReading(of: [
            ProfileSource(file: "a", json: Array(#"{"strings":{"de":{"x":"1","y":"2"}}}"#.utf8)),
            ProfileSource(file: "b", json: Array(#"{"strings":{"de":{"x":"3"},"en":{"x":"4"}}}"#.utf8)),
        ])
        #expect(reading.problems.isEmpty)
        #expect(reading.library.strings.tables == ["de": ["x": "3", "y": "2"], "en": ["x": "4"]])
    }

    @Test func `a type stands in one file only, and of two sections the first counts`() {
        let text = #"{"sdkConfig":{},"devices":[{"class":"AylaDevice","oemModel":"m"}]}"#
        let reading = ProfileReading(of: ["a", "b"].map { ProfileSource(file: $0, json: Array(text.utf8)) })
        #expect(
            reading.problems.map(\.description) == [
                #"b:1:2: warning: duplicate: sdkConfig: "sdkConfig" stands again (first in a:1); it is not used"#,
                #"b:1:61: error: duplicate: devices[0].oemModel: "m" stands again (first in a:1)"#,
            ]
        )
        #expect(reading.files.map(\.errors) == [0, 1])
        #expect(reading.hasErrors)
    }

    @Test func `a type names screens and controls of another file`() {
        let type = #"{"class":"AylaDevice","oemModel":"m","detailScreen":"home","deviceControl":"tile"}"#
        let experience =
            #"{"userExperience":{"signInScreen":"home","homeScreen":"home","#
            + #""screens":[{"name":"home","class":"Map"}],"controls":[{"name":"tile","class":"Generic"}]}}"#
        let reading = ProfileReading(
            of: [type, experience].map { ProfileSource(file: "f", json: Array($0.utf8)) }
        )
        #expect(reading.problems.isEmpty)
        #expect(reading.own.first?.deviceControl == "tile")
    }
}

import Profiles

extension ProfileReading {
    /// Reads one JSON text.
    init(json text: String, modules: Set<String>? = nil) {
        self.init(of: [ProfileSource(file: "f.json", json: Array(text.utf8))], modules: modules)
    }

    /// `LINE:COLUMN code` of each problem.
    var places: [String] {
        problems.map { "\($0.position.line):\($0.position.column) \($0.code.rawValue)" }
    }

    /// `severity code: message` of each problem.
    var sentences: [String] {
        problems.map { "\($0.severity.rawValue) \($0.code.rawValue): \($0.message)" }
    }

    /// The profiles of the files.
    var own: [Profile] { library.profiles.filter { $0.origin != .builtIn } }
}

/// A type that has all that is needed, with more members.
func deviceType(_ more: String) -> String {
    #"{"class":"AylaDevice","oemModel":"m",\#(more)}"#
}

/// A type with one property.
func property(_ members: String) -> String {
    deviceType(#""managedProperties":[{\#(members)}]"#)
}

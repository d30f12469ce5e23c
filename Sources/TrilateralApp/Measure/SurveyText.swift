package import JSON

/// What `survey --learn` says, from the daemon's answers.
package enum SurveyText {
    /// What came of a spot.
    package static func result(_ answer: JSONValue) -> String {
        var text = answer["message"]?.string ?? ""
        if answer["stored"]?.bool == true {
            let beacons = count("beacons", answer)
            let word = beacons == "1" ? "beacon" : "beacons"
            text = "stored, \(beacons) \(word) and \(count("packets", answer)) packets; \(text)"
        }
        let doubtful = (answer["doubtful"]?.array ?? []).compactMap(\.string)
        if !doubtful.isEmpty {
            text += "; these do not fit the others either: \(doubtful.joined(separator: ", "))"
        }
        return text
    }

    private static func count(_ name: String, _ answer: JSONValue) -> String {
        answer[name]?.number.flatMap { Int(exactly: $0) }.map(String.init) ?? "no"
    }

    /// What the survey is good for now.
    package static func summary(_ list: JSONValue) -> String {
        let points = list["points"]?.array?.count ?? 0
        let used = (list["receivers"]?.array ?? []).filter { $0["map"]?.string == "survey" }
        let count = points == 1 ? "1 point" : "\(points) points"
        return used.isEmpty
            ? "the survey has \(count), and is not used yet"
            : "the survey has \(count), and positions use it"
    }
}

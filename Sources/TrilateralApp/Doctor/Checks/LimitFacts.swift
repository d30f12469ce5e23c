import OperatingSystem

/// What the system lets a program have.
package struct LimitFacts: Sendable {
    package static let check = "limits"
    private static let littleMemory = 64

    /// What is too little, as a sentence; `nil` if all is enough.
    package var problem: String?
    /// Memory that programs can still have, MB; `nil` if the system does not say.
    package var freeMemory: Int?

    package init() {}

    package var verdicts: [DoctorVerdict] {
        if let problem { return [DoctorVerdict(Self.check, .problem, problem)] }
        guard let freeMemory else { return [DoctorVerdict(Self.check, .ok, "enough files can be opened")] }
        guard freeMemory < Self.littleMemory else {
            return [
                DoctorVerdict(
                    Self.check,
                    .ok,
                    "enough files can be opened, \(freeMemory) MB of memory are free"
                )
            ]
        }
        return [
            DoctorVerdict(
                Self.check,
                .warning,
                "\(freeMemory) MB of memory are free",
                advice: "end other programs, or add swap: the kernel may end the daemon"
            )
        ]
    }

    static func gathered() -> LimitFacts {
        var facts = LimitFacts()
        do throws(ResourceError) {
            try ProcessResources.check(.daemon)
        } catch {
            facts.problem = error.description
        }
        let memory = try? FileContents.read("/proc/meminfo", upTo: 65_536).flatMap(\.text).get()
        let line = memory?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        facts.freeMemory = line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 / 1024 }
        return facts
    }
}

import Lamps
import Things

extension LampDialect {
    /// The report in a payload on a topic, or the error.
    func reading(_ topic: String, _ text: String) -> Result<LampReport, LampMessageError> {
        do throws(LampMessageError) {
            return .success(try report(on: topic, Array(text.utf8)))
        } catch {
            return .failure(error)
        }
    }

    /// The lamp's state in a payload; `nil` for anything else.
    func state(_ topic: String, _ text: String) -> LampState? {
        guard case .success(.state(let state, _)) = reading(topic, text) else { return nil }
        return state
    }

    /// Why values of a report could not be used.
    func unusable(_ topic: String, _ text: String) -> [String] {
        guard case .success(.state(_, let unknowns)) = reading(topic, text) else { return [] }
        return unknowns.errors.map(\.description)
    }
}

/// Colours for the tests.
enum Paint {
    static let red = RGBColour(hex: 0xFF0000)
    static let green = RGBColour(hex: 0x00FF00)
    static let blue = RGBColour(hex: 0x0000FF)
    static let white = RGBColour(hex: 0xFFFFFF)
}

package import Flare

extension BuiltInAction {
    /// Those that change where a thing is, in the order in which they are listed.
    package static let moves: [BuiltInAction] = [.north, .south, .east, .west, .up, .down]

    /// What it does, for a person.
    package var summary: String {
        switch self {
        case .on: "Switches it on."
        case .off: "Switches it off."
        case .lighter: "Makes it brighter by a tenth."
        case .darker: "Makes it darker by a tenth, down to a tenth."
        case .nextColor: "Sets the next colour of its palette."
        case .previousColor: "Sets the previous colour of its palette."
        case .clockwise: "Turns its angle by 30° clockwise."
        case .counterclockwise: "Turns its angle by 30° counterclockwise."
        case .north: "Moves its place by 1 m along the plan's y axis."
        case .south: "Moves its place by 1 m against the plan's y axis."
        case .east: "Moves its place by 1 m along the plan's x axis."
        case .west: "Moves its place by 1 m against the plan's x axis."
        case .up: "Moves its place up by 1 m."
        case .down: "Moves its place down by 1 m."
        }
    }
}

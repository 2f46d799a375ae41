"""What the table runs on: for the floor, which compares its tables."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.http.deps import AskedTableDep
from service.http.equipment import equipment
from service.http.errors import problems
from service.http.permissions import requires
from service.monitor.equipment_schemas import EquipmentOut

router = APIRouter(prefix="/v1", tags=["health"])


@router.get("/equipment", dependencies=[requires(Permission.HEALTH)], responses=problems(404, 422))
def get_equipment(table: AskedTableDep) -> EquipmentOut:
    """Of a table: version, models, settings, calibration, machine and the rate of verified hands."""
    return EquipmentOut.model_validate(equipment(table))
